const data = JSON.parse(document.getElementById("data").textContent);
document.querySelector("main").textContent = JSON.stringify(data, null, 1);
