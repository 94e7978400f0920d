// Loaded before OpenMemory's server (node --require) to change what its settings do not cover.
"use strict";
const http = require("node:http");
const net = require("node:net");
const path = require("node:path");
const { setTimeout: sleep } = require("node:timers/promises");

// The server would bind every interface.
const listen = net.Server.prototype.listen;
net.Server.prototype.listen = function (port, ...rest) {
  return listen.call(this, port, "127.0.0.1", ...rest);
};

// Once a second the server links memories that queries returned together, with a weight that outranks every match;
// whether that happened during a case would depend on the machine's speed. The other periodic tasks wait for hours.
globalThis.setInterval = () => setTimeout(() => {}, 0);

// The server would answer a query whose embedding failed with no matches; it ends instead.
const ask = globalThis.fetch;
globalThis.fetch = async (...request) => {
  const answer = await ask(...request).catch((error) => ({ ok: false, status: error.cause ?? error }));
  if (answer.ok) return answer;
  console.error(`no embedding: ${answer.status}`);
  process.exit(1);
};

const createServer = http.createServer;
http.createServer = (handler) =>
  createServer((request, response) => {
    if (request.url !== "/reset" || request.headers["x-api-key"] !== process.env.OM_API_KEY) {
      return handler(request, response);
    }
    reset().then(
      () => response.end("{}"),
      (error) => response.writeHead(500).end(String(error)),
    );
  });

// Empties the database, and the files under it, as a new one is.
async function reset() {
  const { all_async, run_async } = require(path.resolve(process.argv[1], "../../core/db.js"));
  const tables = await all_async("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'");
  for (const { name } of tables) await run_async(`delete from ${name}`);
  // What the last query set going, after its answer, may still be at work: then neither of the two succeeds.
  for (let left = 200; left > 0; left--) {
    try {
      await run_async("vacuum");
      const [checkpoint] = await all_async("pragma wal_checkpoint(truncate)");
      if (checkpoint.busy === 0) return;
    } catch (error) {
      if (!error.message.includes("in progress") && !error.message.includes("locked")) throw error;
    }
    await sleep(5);
  }
  throw new Error("the database stays busy");
}
