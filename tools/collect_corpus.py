"""Run `keras-bert collect_corpus`; see keras_bert/cli."""

from keras_bert.cli import console

if __name__ == "__main__":
    console.run("collect_corpus")
