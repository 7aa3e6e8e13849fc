import json, math, sys
import numpy as np

raw = open(sys.argv[1], "rb").read()
start = 8 + int.from_bytes(raw[:8], "little")
head = json.loads(raw[8:start])
model = json.loads(head.pop("__metadata__")["gaussform-bnn"])
tensors = {}
for name, t in head.items():
    a, b = t["data_offsets"]
    numbers = np.frombuffer(raw[start + a:start + b], {"F32": "<f4", "F64": "<f8"}[t["dtype"]])
    tensors[name] = numbers.reshape(t["shape"]).astype(float)
cdf = np.vectorize(lambda z: 0.5 * math.erfc(-z / math.sqrt(2)))
m = np.loadtxt(sys.argv[2], delimiter=",", ndmin=2)
m = (m - [c["mean"] for c in model["inputs"]["columns"]]) / [c["sd"] for c in model["inputs"]["columns"]]
v = np.zeros_like(m)
for i, layer in enumerate(model["blueprint"]["layers"]):
    if "linear" in layer:
        w, b = tensors[f"layers.{i}.weight.mean"], tensors[f"layers.{i}.bias.mean"]
        s, t = (np.exp(2 * tensors[f"layers.{i}.{part}.log_sd"]) for part in ("weight", "bias"))
        m, v = m @ w + b, m**2 @ s + v @ (w**2 + s) + t
    else:
        sd = np.sqrt(v)
        p, d = cdf(m / sd), np.exp(-0.5 * (m / sd) ** 2) / math.sqrt(2 * math.pi)
        mean = m * p + sd * d
        m, v = mean, (m**2 + v) * p + m * sd * d - mean**2
scale = model["targets"]["real"][0]
v = (v + np.exp(-tensors["likelihood.log_precision"])) * scale["sd"] ** 2
for row in np.hstack([m * scale["sd"] + scale["mean"], np.sqrt(v)]):
    print(*row)
