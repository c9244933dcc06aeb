"""shop.py DATABASE REQUESTS: a web server that changes prices, and a client that has it do so."""
import http.client
import http.server
import random
import sqlite3
import sys
import threading

database, requests = sys.argv[1], int(sys.argv[2])


class Shop(http.server.BaseHTTPRequestHandler):
    def do_PUT(self):
        product = self.path.rsplit("/", 1)[1]
        price = self.rfile.read(int(self.headers["Content-Length"])).decode()
        connection = sqlite3.connect(database)
        with connection:
            connection.execute("UPDATE products SET price = ? WHERE id = ?", (int(price), int(product)))
        connection.close()
        self.send_response(204)
        self.end_headers()

    def log_message(self, *arguments):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Shop)
threading.Thread(target=server.serve_forever, daemon=True).start()
for price in range(1, requests + 1):  # prices only rise, so that an old one is known
    product = random.randint(1, 10)
    client = http.client.HTTPConnection("127.0.0.1", server.server_port)
    client.request("PUT", f"/products/{product}", str(price))
    client.getresponse().close()
    print(product, price, flush=True)  # the answer is there, so the price holds
server.shutdown()
