"""Missing cells by the command `gaussform-bnn`, beside filling in means, leaving rows out, and gradient boosting.

    python3 experiments/missing_cells.py --command target/release/gaussform-bnn TABLE.csv:TARGET …

For each table and seed a fifth of the rows is held out. Of the other cells a share is removed, of the rows of training and of
those held out alike: at random, or by value (a cell goes the more likely, the larger its number is, or the rarer its word).
Rows without a target are left out first. Each method learns from the rest and is scored on the held-out rows by the log
likelihood of a row, and by the root mean squared error or the share of errors.

    others    the command as it is: missing inputs are predicted from the other columns, with a variance
    mean      `--fill mean`: means and variances of columns
    plain     means of columns and most frequent words put in beforehand, without a variance
    complete  rows with missing cells are left out of training; those held out are filled as `plain`
    boosting  HistGradientBoosting of scikit-learn, where that is installed, which takes missing cells as they are; for numbers
              its density is Normal, with the standard deviation of its errors on a fifth of the rows of training

It needs nothing but Python; boosting needs scikit-learn and pandas.
"""

import argparse
import concurrent.futures
import csv
import itertools
import math
import os
import random
import subprocess
import tempfile

MISSING = {"", "NA", "N/A", "nan", "NaN", "null", "?", "None"}


def number(text):
    try:
        return float(text)
    except ValueError:
        return None


def read(path, target):
    with open(path, newline="", encoding="utf-8-sig") as file:
        header, *rows = csv.reader(file)
    at = header.index(target)
    return header, at, [row for row in rows if row[at] not in MISSING]


def are_numbers(rows, j):
    cells = [row[j] for row in rows if row[j] not in MISSING]
    return bool(cells) and sum(number(c) is not None for c in cells) > len(cells) / 2


def removed(header, at, rows, share, how, rng):
    """The rows with some cells empty; each column loses `share` of its cells."""
    rows = [row[:] for row in rows]
    for j in range(len(header)):
        if j == at:
            continue
        here = [i for i, row in enumerate(rows) if row[j] not in MISSING]
        count = round(share * len(here))
        if how == "random":
            gone = rng.sample(here, count)
        else:
            if are_numbers(rows, j):
                size = {i: number(rows[i][j]) or 0.0 for i in here}
            else:
                frequency = {}
                for i in here:
                    frequency[rows[i][j]] = frequency.get(rows[i][j], 0) + 1
                size = {i: -frequency[rows[i][j]] for i in here}
            # The larger half of the ranks goes three times as likely (Gumbel's way to draw without repetition).
            order = sorted(here, key=lambda i: (size[i], i))
            rank = {i: k / max(1, len(order) - 1) for k, i in enumerate(order)}
            noise = {i: -math.log(-math.log(rng.random())) for i in here}
            gone = sorted(here, key=lambda i: -(3 * rank[i] + noise[i]))[:count]
        for i in gone:
            rows[i][j] = ""
    return rows


def plain(header, at, train, rows):
    """The rows with means and most frequent words of `train` in place of missing cells."""
    rows = [row[:] for row in rows]
    for j in range(len(header)):
        cells = [row[j] for row in train if row[j] not in MISSING]
        if j == at or not cells:
            continue
        if are_numbers(train, j):
            known = [v for v in map(number, cells) if v is not None]
            fill = repr(sum(known) / len(known))
        else:
            counts = {}
            for cell in cells:
                counts[cell] = counts.get(cell, 0) + 1
            fill = max(sorted(counts), key=counts.get)
        for row in rows:
            if row[j] in MISSING:
                row[j] = fill
    return rows


def write(path, header, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])


def ours(command, header, target, train, test, options, env):
    with tempfile.TemporaryDirectory() as folder:
        a, b, model = (os.path.join(folder, name) for name in ("a.csv", "b.csv", "m.safetensors"))
        write(a, header, train)
        write(b, header, test)
        run = lambda *args: subprocess.run(
            [command, *args], capture_output=True, text=True, check=False, env={**os.environ, **env}
        )
        out = run("train", "--csv", a, "--target", target, "--out", model, "-q", *options)
        if out.returncode == 0:
            out = run("evaluate", "--model", model, "--csv", b)
        if out.returncode:
            return {"problem": out.stderr.strip().replace("\n", " ")[:200]}
    lines = dict(line.rsplit("  ", 1) if "  " in line else line.rsplit(" ", 1) for line in out.stdout.splitlines())
    lines = {key.strip(): value.strip() for key, value in lines.items()}
    error = lines.get("root mean squared error") or lines.get("error", "nan").split()[0]
    return {"log likelihood": float(lines["log likelihood of a row"]), "error": float(error)}


def boosting(header, at, train, test, classes, seed):
    try:
        import numpy
        import pandas
        from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
    except ImportError:
        return {"problem": "scikit-learn is not installed"}
    both = pandas.DataFrame(train + test, columns=header).replace(list(MISSING), None)
    x = both.drop(columns=[header[at]])
    for name in x:
        numbers = pandas.to_numeric(x[name], errors="coerce")
        if numbers.notna().sum() > x[name].notna().sum() / 2:
            x[name] = numbers
        elif x[name].nunique() <= 200:
            x[name] = x[name].astype("category")
        else:
            x = x.drop(columns=[name])
    n, y = len(train), both[header[at]]
    if classes:
        model = HistGradientBoostingClassifier(random_state=seed, categorical_features="from_dtype")
        p = model.fit(x[:n], y[:n]).predict_proba(x[n:])
        place = {name: k for k, name in enumerate(model.classes_)}
        own = numpy.array([row[place[c]] if c in place else 0.0 for row, c in zip(p, y[n:])])
        wrong = numpy.mean(model.classes_[p.argmax(1)] != y[n:].to_numpy())
        return {"log likelihood": numpy.log(own.clip(1e-12)).mean(), "error": 100 * wrong}
    y = y.astype(float).to_numpy()
    model = HistGradientBoostingRegressor(random_state=seed, categorical_features="from_dtype")
    m = n // 5
    sd = numpy.std(y[:m] - model.fit(x[m:n], y[m:n]).predict(x[:m]))
    off = y[n:] - model.fit(x[:n], y[:n]).predict(x[n:])
    density = -0.5 * numpy.log(2 * math.pi * sd**2) - off**2 / (2 * sd**2)
    return {"log likelihood": density.mean(), "error": numpy.sqrt(numpy.mean(off**2))}


def one(job):
    (path, target), share, how, seed, method, given = job
    header, at, rows = read(path, target)
    rng = random.Random(f"{os.path.basename(path)} {share} {how} {seed}")
    rng.shuffle(rows)
    rows = rows[: given.rows]
    rows = removed(header, at, rows, share, how, rng)
    held_out = round(0.2 * len(rows))
    test, train = rows[:held_out], rows[held_out:]
    options = given.options.split()
    if method == "boosting":
        cells = {row[at] for row in rows}
        classes = any(number(cell) is None for cell in cells) or len(cells) <= 3
        return job, boosting(header, at, train, test, classes, seed)
    if method == "mean":
        options += ["--fill", "mean"]
    elif method == "plain":
        train, test = plain(header, at, train, train), plain(header, at, train, test)
    elif method == "complete":
        # Columns that are mostly empty in the table itself would leave no row.
        options += ["--fill", "drop"]
        test = plain(header, at, train, test)
    return job, ours(given.command, header, target, train, test, options, {})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="+", metavar="TABLE.csv:TARGET")
    parser.add_argument("--command", required=True, help="the path of gaussform-bnn")
    parser.add_argument("--methods", default="others,mean,plain,complete,boosting")
    parser.add_argument("--shares", default="0.05,0.2,0.5", help="shares of cells that are removed")
    parser.add_argument("--how", default="random,value")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--rows", type=int, default=1000, help="rows of a table that are used, at most")
    parser.add_argument("--options", default="", help="more options for train")
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    tables = [table.rsplit(":", 1) for table in given.tables]
    jobs = [
        (table, float(share), how, seed, method, given)
        for table in tables
        for how in given.how.split(",")
        for share in given.shares.split(",")
        for method in given.methods.split(",")
        for seed in range(given.seeds)
    ]
    print(f"{'table':22} {'removed':12} {'method':9} {'log likelihood':>20} {'error':>12}")
    with concurrent.futures.ProcessPoolExecutor(given.jobs) as pool:
        # The results come in the order of the jobs, so that those of a method follow each other.
        for (name, how, share, method), group in itertools.groupby(pool.map(one, jobs), key=of_job):
            show(f"{name:22} {share:<4} {how:7} {method:9}", [score for _, score in group])


def of_job(result):
    (table, share, how, _, method, _), _ = result
    return os.path.basename(table[0]), how, share, method


def show(line, scores):
    """Prints the mean of the scores, with the standard error of the log likelihood."""
    good = [s for s in scores if "problem" not in s]
    if not good:
        print(line, scores[0]["problem"], flush=True)
        return
    mean = lambda key: sum(s[key] for s in good) / len(good)
    center = mean("log likelihood")
    spread = sum((s["log likelihood"] - center) ** 2 for s in good) / max(1, len(good) - 1)
    line = f"{line} {center:10.4f} ± {math.sqrt(spread / len(good)):.4f}"
    count = "" if len(good) == len(scores) else f"  {len(good)} of {len(scores)}"
    print(f"{line:66} {mean('error'):10.4g}{count}", flush=True)


if __name__ == "__main__":
    main()
