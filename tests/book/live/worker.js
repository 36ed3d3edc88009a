// Behind train/page/worker.js in the site's worker: the engine's answer to a live figure, and the engine for the
// pages that ask for an answer by its number.
requests.figure = ({id, figure, choices}) => answer('figure', {id, ...withText(`${figure}\n${choices}`, 'figure')});
