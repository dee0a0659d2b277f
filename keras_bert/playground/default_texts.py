"""Default texts of the fields on the page."""

# Texts about software, because the tiny model was trained on documentation of
# software.
SENTENCE = "If the file does not exist, an error is raised."
PAIR = "The function returns a list of strings."

# The first sentences of three novels in the public domain: Alice's Adventures
# in Wonderland (1865), The Time Machine (1895) and The Wonderful Wizard of Oz
# (1900).
DOCUMENTS = """\
Alice was beginning to get very tired of sitting by her sister on the bank, \
and of having nothing to do.
Once or twice she had peeped into the book her sister was reading, but it had \
no pictures or conversations in it.
So she was considering in her own mind whether the pleasure of making a \
daisy-chain would be worth the trouble of getting up and picking the daisies.
Suddenly a White Rabbit with pink eyes ran close by her.
There was nothing so very remarkable in that.

The Time Traveller was expounding a recondite matter to us.
His grey eyes shone and twinkled, and his usually pale face was flushed and \
animated.
The fire burned brightly, and the soft radiance of the incandescent lights \
caught the bubbles that flashed and passed in our glasses.
You must follow me carefully.
I shall have to controvert one or two ideas that are almost universally \
accepted.

Dorothy lived in the midst of the great Kansas prairies, with Uncle Henry, \
who was a farmer, and Aunt Em, who was the farmer's wife.
Their house was small, for the lumber to build it had to be carried by wagon \
many miles.
There were four walls, a floor and a roof, which made one room.
It was Toto that made Dorothy laugh, and saved her from growing as gray as \
her other surroundings.
Toto was not gray; he was a little black dog.
"""

LINES = """\
Open the file for reading.
The path of a directory.
Remove the directory and all files in it.
Raises an error if the file does not exist.
Send the request to the server.
The headers of an HTTP response.
The timeout of the connection in seconds.
Close the socket and the connection.
Draw a line between two points of the plot.
The color and the width of the line.
Set the label of the x axis.
Add a legend to the figure.
"""

CONTEXT = (
    "The Danube rises in the Black Forest of Germany and flows for about "
    "2,850 kilometres to the Black Sea. It passes through ten countries and "
    "four capitals: Vienna, Bratislava, Budapest and Belgrade."
)
QUESTION = "Where does the Danube rise?"
NAMES = "Ada Lovelace met Charles Babbage in London, not far from the Thames."
