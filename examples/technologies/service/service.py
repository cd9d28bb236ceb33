"""The prices over HTTP, and a page for people. The file `address` says where, once it answers."""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from prices import RATES, UnknownCountry, price_of

PAGE = Path(__file__).with_name("page.html").read_bytes()


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        url = urlsplit(self.path)
        query = dict(parse_qsl(url.query))
        if url.path == "/":
            self.answer(200, PAGE, "text/html; charset=utf-8")
        elif url.path == "/rates":
            self.answer_json(200, RATES)
        elif url.path == "/price":
            self.answer_price(query)
        else:
            self.answer_json(404, {"error": "There is nothing here."})

    def answer_price(self, query):
        try:
            kind = query.get("kind", "standard")
            price = price_of(int(query["net"]), query["country"], kind, "business" in query)
            self.answer_json(200, price)
        except (KeyError, ValueError):
            self.answer_json(400, {"error": "A price needs net (in cents) and country."})
        except UnknownCountry as error:
            self.answer_json(404, {"error": str(error)})

    def answer_json(self, status, value):
        self.answer(status, json.dumps(value).encode(), "application/json")

    def answer(self, status, body, content_type):
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
Path("address.part").write_text(f"http://127.0.0.1:{server.server_port}")
Path("address.part").rename("address")
server.serve_forever()
