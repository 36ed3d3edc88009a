#!/usr/bin/env python3
"""Writes the figures that are curves: differences, activations, valley, schedule and loss_curve (.svg, beside this file).

The losses are those of `gradus train data/fables.txt --dtype float32`, from its log.csv.
"""
import math
import pathlib
import struct

HERE = pathlib.Path(__file__).resolve().parent
# Updates, training loss (a mean since the row before), validation loss: nats per token.
RUN = [(0, 6.723, 6.711), (94, 5.091, 3.875), (188, 3.779, 3.591), (282, 3.543, 3.472), (376, 3.434, 3.395),
       (470, 3.334, 3.349), (564, 3.253, 3.308), (658, 3.217, 3.249), (752, 3.111, 3.230), (846, 3.067, 3.186),
       (940, 2.981, 3.185), (1034, 2.922, 3.124), (1128, 2.832, 3.085), (1222, 2.737, 3.074), (1316, 2.673, 3.029),
       (1410, 2.555, 3.014), (1500, 2.479, 3.005)]
UPDATES, WARM_UP = 1500, 100


def text(x, y, words, anchor="start"):
    where = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text class="text" x="{x:.4g}" y="{y:.4g}"{where}>{words}</text>'


def path(points, kind="line", dash=""):
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return f'<path class="{kind}"{dashes} d="M' + " L".join(f"{x:.1f} {y:.1f}" for x, y in points) + '"/>'


def dots(points, radius):
    return "".join(f'<circle class="strong" cx="{x:.1f}" cy="{y:.1f}" r="{radius}"/>' for x, y in points)


def write(name, height, title, body):
    (HERE / f"{name}.svg").write_text(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 380 {height}">\n'
                                      f"<title>{title}</title>\n" + "\n".join(body) + "\n</svg>\n")


class Plot:
    """Maps [x0, x1] x [y0, y1] to a rectangle of 308 points, `height` high; draws its axes."""

    def __init__(self, x, y, height, x_marks, y_marks):
        self.x, self.y, self.height = x, y, height
        left, bottom, right = 46, 14 + height, 354
        self.body = [path([(left, 14), (left, bottom), (right, bottom)])]
        for mark in y_marks:
            at = self.at(x[0], mark)[1]
            self.body += [path([(left, at), (right, at)], "faint"), text(left - 6, at + 5, mark, "end")]
        for mark in x_marks:
            at = self.at(mark, y[0])[0]
            self.body += [path([(at, bottom), (at, bottom + 4)]), text(at, bottom + 18, mark, "middle")]

    def at(self, x, y):
        (x0, x1), (y0, y1) = self.x, self.y
        return 46 + 308 * (x - x0) / (x1 - x0), 14 + self.height * (y1 - y) / (y1 - y0)

    def curve(self, points, dash=""):
        self.body.append(path([self.at(*point) for point in points], dash=dash))

    def say(self, x, y, words):
        self.body.append(text(*self.at(x, y), words))


def loss_curve():
    plot = Plot((0, UPDATES), (2, 7), 220, (0, 500, 1000, 1500), range(2, 8))
    validation = [(step, loss) for step, _, loss in RUN]
    plot.curve(validation)
    plot.curve([(step, loss) for step, loss, _ in RUN], "5 4")
    plot.body.append(dots([plot.at(*point) for point in validation], 3))
    plot.say(560, 4.6, "solid, dots: validation")
    plot.say(560, 4.1, "dashed: training")
    plot.body += [text(200, 270, "updates", "middle"), text(4, 270, "nats per token")]
    write("loss_curve", 278, "The losses of the run by updates, in nats per token. The validation loss falls from 6.71 at step 0 "
          "to 3.87 at step 94 and to 3.00 at step 1500. The training loss, a mean over the updates since the evaluation before, "
          "begins at the same value, is above the validation loss for the first 376 updates and ends at 2.48, below it.", plot.body)


def schedule():
    def share(step):
        return (step - WARM_UP) / (UPDATES - WARM_UP)

    plot = Plot((0, UPDATES), (0, 1), 150, (0, 100, 500, 1000, 1500), (0, 1))
    plot.curve([(0, 1 / (WARM_UP + 1)), (WARM_UP, 1), (UPDATES, 0)])
    plot.curve([(step, (1 + math.cos(math.pi * share(step))) / 2) for step in range(WARM_UP, UPDATES + 1, 20)], "5 4")
    plot.say(800, 0.86, "solid: a line")
    plot.say(800, 0.71, "dashed: half a cosine")
    plot.body.append(text(200, 200, "updates", "middle"))
    write("schedule", 206, "The learning rate as a share of learning_rate, over 1,500 updates. It rises in a straight line for 100 "
          "updates to 1, and falls to 0 at the end: by default in a straight line; by half a cosine it stays above that line in "
          "the first half and below it in the second.", plot.body)


def differences():
    """Errors of the derivative of exp at 1, by h = 2^x; `rounded` is what a number becomes when it is stored."""
    def single(x):
        return struct.unpack("f", struct.pack("f", x))[0]

    def errors(rounded, four_points):
        points = []
        for i in range(-44, -3):
            h = rounded(2 ** (i / 2))
            f = {k: rounded(math.exp(rounded(1 + k * h))) for k in (-2, -1, 0, 1, 2)}
            slope = (8 * (f[1] - f[-1]) - (f[2] - f[-2])) / (12 * h) if four_points else (f[1] - f[0]) / h
            points.append((i / 2, math.log10(max(abs(slope / math.e - 1), 1e-13))))
        return points

    plot = Plot((-22, -2), (-13, 0), 210, (-20, -15, -10, -6), (-12, -9, -6, -3, 0))
    plot.curve(errors(float, True))
    plot.curve(errors(single, True), "7 4")
    plot.curve(errors(single, False), "2 3")
    plot.say(-21.6, -6.1, "dots: 1 side, float")
    plot.say(-21.6, -7.2, "dashes: 4 points, float")
    plot.say(-21.6, -8.3, "solid: 4 points, double")
    plot.body += [text(200, 262, "log2 of the step h", "middle"), text(4, 282, "upward: log10 of the relative error")]
    write("differences", 290, "Relative errors of three differences for the derivative of exp at 1, by the step h, on logarithmic "
          "axes. In double four points fall from 1e-4 at h = 1/4 to below 1e-12 near h = 2^-10, then rise slowly. In float four "
          "points are best, 1e-7 to 4e-7, between h = 1/16 and 1/64, and rise to 1e-2 at 2^-20. One side in float is never better than 1e-4.",
          plot.body)


def activations():
    plot = Plot((-4, 3), (-0.6, 3), 190, (-4, -2, 0, 2), range(4))
    at = [i / 20 for i in range(-80, 61)]
    plot.curve([(x, x * (1 + math.erf(x / math.sqrt(2))) / 2) for x in at])
    plot.curve([(x, x / (1 + math.exp(-x))) for x in at], "7 4")
    plot.curve([(x, max(x, 0)) for x in at], "2 3")
    for line, words in enumerate(("solid: gelu, x Phi(x)", "dashes: silu, x sigmoid(x)", "dots: relu, max(x, 0)")):
        plot.say(-3.6, 2.5 - 0.4 * line, words)
    write("activations", 226, "Three activations from x = -4 to 3. relu is 0 for negative x and x for positive x. gelu and silu "
          "are smooth: they approach 0 at the left and x at the right, and dip below 0 in between, gelu to -0.17 near x = -0.75, "
          "silu to -0.28 near x = -1.28.", plot.body)


def valley():
    """Paths down loss = (x^2 + 25 y^2) / 2 by three rules; a rule keeps m and v of both directions in `state`."""
    def descent(gradient, _state, _t):
        return [0.07 * g for g in gradient]

    def momentum(gradient, state, _t):
        state["v"] = [0.9 * v + g for v, g in zip(state.get("v", (0, 0)), gradient)]
        return [0.012 * v for v in state["v"]]

    def adamw(gradient, state, t):
        state["m"] = [0.9 * m + 0.1 * g for m, g in zip(state.get("m", (0, 0)), gradient)]
        state["v"] = [0.99 * v + 0.01 * g * g for v, g in zip(state.get("v", (0, 0)), gradient)]
        return [0.4 * (m / (1 - 0.9**t)) / (math.sqrt(v / (1 - 0.99**t)) + 1e-8) for m, v in zip(state["m"], state["v"])]

    body = []
    for n, (name, rule) in enumerate((("gradient descent", descent), ("with momentum 0.9", momentum), ("AdamW", adamw))):
        top, state, points = 24 + 122 * n, {}, [(-9.0, 1.6)]
        for t in range(1, 41):
            x, y = points[-1]
            dx, dy = rule((x, 25 * y), state, t)
            points.append((x - dx, y - dy))

        def at(x, y, top=top):
            return 20 + 340 * (x + 10) / 14, top + 45 - 22 * y

        body += [text(20, top - 6, f"{name}, 40 updates"),
                 f'<clipPath id="panel{n}"><rect x="10" y="{top}" width="360" height="92"/></clipPath>'
                 f'<rect class="faint" x="10" y="{top}" width="360" height="92"/><g clip-path="url(#panel{n})">']
        x, y = at(0, 0)
        for loss in (1, 4, 9, 16, 25, 40):
            radius = math.sqrt(2 * loss)
            body.append(f'<ellipse class="faint" cx="{x:.1f}" cy="{y:.1f}" rx="{340 / 14 * radius:.1f}" ry="{22 / 5 * radius:.1f}"/>')
        body += [path([at(*point) for point in points]), dots([at(*point) for point in points], 2.5) + "</g>",
                 f'<path class="line" d="M{x - 5:.1f} {y:.1f} h10 M{x:.1f} {y - 5:.1f} v10"/>']
    body.append(text(20, 396, "+ marks the lowest point; each dot is an update"))
    write("valley", 402, "Three paths in a long valley, loss = (x^2 + 25 y^2) / 2, from its upper left end. Gradient descent jumps "
          "from wall to wall in shrinking jumps and creeps along the floor. With momentum it swings around the floor, passes the "
          "lowest point and comes back. AdamW, with steps of one size in both directions, goes at first diagonally to the floor "
          "and then along it.", body)


if __name__ == "__main__":
    differences()
    loss_curve()
    schedule()
    activations()
    valley()
