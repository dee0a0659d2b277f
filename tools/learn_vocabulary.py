"""Run `keras-bert learn_vocabulary`; see keras_bert/cli."""

from keras_bert.cli import console

if __name__ == "__main__":
    console.run("learn_vocabulary")
