"""games.py DATABASE GAMES: plays games and books the points, and knows nothing of anybody who looks on."""
import random
import sqlite3
import sys
import time

PLAYERS = ["Ada", "Alan", "Barbara", "Edsger", "Grace", "Niklaus", "Tony"]
BOOK = "INSERT INTO players VALUES (?, ?) ON CONFLICT DO UPDATE SET points = points + excluded.points"

chance = random.Random(1815)  # the same games each time
connection = sqlite3.connect(sys.argv[1])
for game in range(int(sys.argv[2])):
    first, second = chance.sample(PLAYERS, 2)
    with connection:  # one transaction, committed at its end
        connection.execute(BOOK, (first, 3))
        connection.execute(BOOK, (second, 1))
    time.sleep(0.05)  # so that there is something to look at
