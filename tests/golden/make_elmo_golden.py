"""Write elmo.npz: a small ELMo, two batches of words and their states.

The states are computed in NumPy from the description of the published model,
one word and one step at a time. For the fixture of allenai/bilm-tf (also in
`test_fixtures/elmo` of allenai/allennlp) the same functions gave the vectors of
the original implementation.

Run: python tests/golden/make_elmo_golden.py
"""

import json
import pathlib

import numpy as np

OPTIONS = {
    "char_cnn": {
        "activation": "relu",
        "embedding": {"dim": 3},
        "filters": [[1, 2], [2, 3], [4, 4]],
        "max_characters_per_token": 12,
        "n_characters": 262,
        "n_highway": 2,
    },
    "lstm": {
        # Narrow enough that both clip.
        "cell_clip": 1.1,
        "dim": 7,
        "n_layers": 3,
        "proj_clip": 0.6,
        "projection_dim": 4,
        "use_skip_connections": True,
    },
}
BATCHES = (
    ("The cat sat .", "Zürich", "a pneumonoultramicroscopic word"),
    ("No", "It 's 5 °C in 東京 !", "x y z"),
)


def spell(word, width):
    """Return the characters of a word, or of 256 or 257, the sentence ends."""
    codes = [word] if isinstance(word, int) else [*word.encode()][: width - 2]
    codes = [258, *codes, 259]
    return [code + 1 for code in codes + [260] * (width - len(codes))]


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def embed(word, arrays, options):
    """Return the vector of a word from its characters."""
    table = np.pad(arrays["char_embed"], ((1, 0), (0, 0)))
    width = options["char_cnn"]["max_characters_per_token"]
    characters = table[spell(word, width)]
    found = []
    for number, (size, _) in enumerate(options["char_cnn"]["filters"]):
        kernel = arrays[f"CNN/W_cnn_{number}"][0]
        places = [
            np.einsum("wd,wdn->n", characters[start : start + size], kernel)
            for start in range(width - size + 1)
        ]
        most = np.max(places, axis=0) + arrays[f"CNN/b_cnn_{number}"]
        found.append(np.maximum(most, 0))
    x = np.concatenate(found)
    for number in range(options["char_cnn"]["n_highway"]):
        name = f"CNN_high_{number}"
        carry = x @ arrays[f"{name}/W_carry"] + arrays[f"{name}/b_carry"]
        new = x @ arrays[f"{name}/W_transform"] + arrays[f"{name}/b_transform"]
        carry = sigmoid(carry)
        x = carry * np.maximum(new, 0) + (1 - carry) * x
    return x @ arrays["CNN_proj/W_proj"] + arrays["CNN_proj/b_proj"]


def step(x, state, cell, weights, options):
    matrix, bias, projection = weights
    i, j, f, o = np.split(np.concatenate([x, state]) @ matrix + bias, 4)
    cell = sigmoid(f + 1) * cell + sigmoid(i) * np.tanh(j)
    cell = np.clip(cell, -options["cell_clip"], options["cell_clip"])
    state = (sigmoid(o) * np.tanh(cell)) @ projection
    clip = options["proj_clip"]
    return np.clip(state, -clip, clip), cell


def states(words, carried, arrays, options):
    """Return all layers, `(num_words + 2, 1 + num_layers, 2 * size)`.

    Args:
        words: list of str.
        carried: dict from direction and layer to the final (state, cell) of
            the previous sentence; updated in place.
    """
    size = options["lstm"]["projection_dim"]
    vectors = [embed(word, arrays, options) for word in (256, *words, 257)]
    sides = []
    for side, order in enumerate((1, -1)):
        layers = [vectors[::order]]
        for number in range(options["lstm"]["n_layers"]):
            name = f"RNN_{side}/RNN/MultiRNNCell/Cell{number}/LSTMCell"
            weights = [arrays[f"{name}/{x}"] for x in ("W_0", "B", "W_P_0")]
            zeros = np.zeros(size), np.zeros(options["lstm"]["dim"])
            state, cell = carried.get((side, number), zeros)
            outputs = []
            for x in layers[-1]:
                state, cell = step(x, state, cell, weights, options["lstm"])
                skips = number > 0 and options["lstm"]["use_skip_connections"]
                outputs.append(state + x if skips else state)
            carried[side, number] = state, cell
            layers.append(outputs)
        sides.append(np.stack([layer[::order] for layer in layers], axis=1))
    return np.concatenate(sides, axis=-1)


def random_arrays(options):
    random = np.random.default_rng(0)
    cnn, lstm = options["char_cnn"], options["lstm"]
    width, size = cnn["embedding"]["dim"], lstm["projection_dim"]
    total = sum(number for _, number in cnn["filters"])
    shapes = {"char_embed": (261, width)}
    for number, (places, count) in enumerate(cnn["filters"]):
        shapes[f"CNN/W_cnn_{number}"] = (1, places, width, count)
        shapes[f"CNN/b_cnn_{number}"] = (count,)
    for number in range(cnn["n_highway"]):
        for part in ("carry", "transform"):
            shapes[f"CNN_high_{number}/W_{part}"] = (total, total)
            shapes[f"CNN_high_{number}/b_{part}"] = (total,)
    shapes["CNN_proj/W_proj"] = (total, size)
    shapes["CNN_proj/b_proj"] = (size,)
    for side in (0, 1):
        for number in range(lstm["n_layers"]):
            name = f"RNN_{side}/RNN/MultiRNNCell/Cell{number}/LSTMCell"
            shapes[f"{name}/W_0"] = (2 * size, 4 * lstm["dim"])
            shapes[f"{name}/B"] = (4 * lstm["dim"],)
            shapes[f"{name}/W_P_0"] = (lstm["dim"], size)
    return {
        name: random.normal(scale=0.8, size=shape).astype(np.float32)
        for name, shape in shapes.items()
    }


def write_files(folder):
    """Write `options.json` and `weights.hdf5` in the published format."""
    import h5py

    (folder / "options.json").write_text(json.dumps(OPTIONS))
    with (
        np.load(pathlib.Path(__file__).parent / "elmo.npz") as golden,
        h5py.File(folder / "weights.hdf5", "w") as file,
    ):
        for name in golden.files:
            if name.startswith("weights/"):
                file[name.removeprefix("weights/")] = golden[name]


def main():
    arrays = random_arrays(OPTIONS)
    golden = {f"weights/{name}": array for name, array in arrays.items()}
    rows = [{} for _ in BATCHES[0]]
    for batch, texts in enumerate(BATCHES):
        for row, text in enumerate(texts):
            found = states(text.split(), rows[row], arrays, OPTIONS)
            golden[f"states/{batch}/{row}"] = found.astype(np.float32)
    numbers = range(OPTIONS["lstm"]["n_layers"])
    for part, name in enumerate(("state", "cell")):
        arrays = [
            [row[side, number][part] for number in numbers for side in (0, 1)]
            for row in rows
        ]
        golden[name] = np.array(arrays, np.float32)
    path = pathlib.Path(__file__).parent / "elmo.npz"
    np.savez_compressed(path, **golden)


if __name__ == "__main__":
    main()
