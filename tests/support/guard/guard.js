// Refuses, and reports, every connection and name look-up of a Node process beyond loopback.
const dns = require("node:dns");
const fs = require("node:fs");
const net = require("node:net");

const LOOPBACK = new Set(["127.0.0.1", "::1", "localhost", "", undefined]);

function check(event, host) {
  if (LOOPBACK.has(host)) return;
  const line = `NETWORK: ${event} ${host}\n`;
  if (process.env.GUARD_REPORT) fs.appendFileSync(process.env.GUARD_REPORT, line);
  else fs.writeSync(2, line);
  throw new Error(`${event} to ${host} is forbidden in this test`);
}

const connect = net.Socket.prototype.connect;
net.Socket.prototype.connect = function (...given) {
  const [first, second] = Array.isArray(given[0]) ? given[0] : given;
  if (typeof first === "number") check("net.connect", typeof second === "string" ? second : undefined);
  else if (typeof first === "object" && !first.path) check("net.connect", first.host);
  return connect.apply(this, given);
};
for (const name of ["lookup", "resolve", "resolve4", "resolve6"]) {
  const original = dns[name];
  dns[name] = (host, ...rest) => {
    check(`dns.${name}`, host);
    return original(host, ...rest);
  };
}
