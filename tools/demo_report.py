"""Report on the corpus, training and exports of the demo.

    keras-bert demo_report --output_dir=demo-output

The SavedModel runs in a new process without keras_bert, the TFLite file in a
LiteRT interpreter. Their outputs are compared with the Python model.
"""

import pathlib

import keras_bert
from keras_bert import command_line
from keras_bert.cli.demo.report import best_known
from keras_bert.cli.demo.report import corpus_text
from keras_bert.cli.demo.report import filled_text
from keras_bert.cli.demo.report import masked_sentences
from keras_bert.cli.demo.report import saved_model_text
from keras_bert.cli.demo.report import tflite_text
from keras_bert.cli.demo.report import training_text
from keras_bert.pretraining.corpus.documents import read_documents

PROGRAM = command_line.Program(__doc__)

_OUTPUT_DIR = PROGRAM.required("output_dir", "Output directory of the demo.")


def main():
    output = pathlib.Path(_OUTPUT_DIR.value)
    tflite_file = output / "encoder_text.tflite"
    if not tflite_file.is_file():
        raise ValueError(
            "`output_dir` must be the output of a finished demo. Received: "
            f"output_dir={str(output)!r}."
        )
    command_line.import_quietly("keras")
    bert = keras_bert.from_pretrained(output / "bert")
    fill_mask = keras_bert.FillMask(bert, top_k=3)
    documents = list(read_documents([output / "corpus" / "eval.txt"]))
    vocabulary = bert.tokenizer.vocabulary
    examples = masked_sentences(documents, vocabulary)
    share, best = best_known(fill_mask, examples)
    print(corpus_text(output, documents, bert))
    print(training_text(output, vocabulary))
    print(filled_text(fill_mask, share, best))
    texts = [text for text, *_ in best]
    program = pathlib.Path(__file__).with_name("query_saved_model.py")
    directory = output / "saved_model" / "1"
    print(saved_model_text(directory, program, fill_mask, texts))
    print(tflite_text(tflite_file, bert, texts))
    print(
        "\nNext: train on your own text with --input_file='texts/*.txt' (make "
        "demo INPUT='texts/*.txt'), fill "
        "masks with\n  keras_bert.FillMask.from_pretrained("
        f"'{output}/bert')('Some text to [MASK].')\nand read README.md."
    )


if __name__ == "__main__":
    PROGRAM.run(main)
