// Preloaded into a process (`node --import`): writes down every address that anything in it tries to reach, and lets
// nothing through but unix sockets. Patched below every client: fetch, http, TLS, drivers and exporters all end here.
import dgram from 'node:dgram';
import dns from 'node:dns';
import { appendFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';

const file = process.env.WATCH_SOCKETS_LOG;
const note = (kind, target) => appendFileSync(file, `${JSON.stringify({ kind, target, pid: process.pid })}\n`);

const connect = net.Socket.prototype.connect;
net.Socket.prototype.connect = function watched(...args) {
  const [first, second] = Array.isArray(args[0]) ? args[0] : args;
  const options =
    typeof first === 'object' && first !== null ? first : Number.isNaN(Number(first)) ? { path: first } : {};
  if (options.path) {
    note('unix', options.path);
    return connect.apply(this, args);
  }
  note('tcp', `${options.host ?? second ?? 'localhost'}:${options.port ?? first}`);
  process.nextTick(() => this.destroy(Object.assign(new Error('refused by the watch'), { code: 'ECONNREFUSED' })));
  return this;
};

dgram.Socket.prototype.send = function watched() {
  note('udp', 'send');
};

// Listening on an address looks it up too, without asking anybody.
const isLocal = (name) => name === undefined || name === null || net.isIP(name) !== 0 || name === 'localhost';
for (const holder of [dns, dns.promises]) {
  for (const name of ['lookup', 'resolve', 'resolve4', 'resolve6', 'resolveAny', 'resolveSrv', 'resolveTxt']) {
    const original = holder[name];
    holder[name] = function watched(host, ...rest) {
      if (!isLocal(host)) note('dns', String(host));
      return original.call(this, isLocal(host) ? host : 'localhost', ...rest);
    };
  }
}
syncBuiltinESMExports();
note('watching', process.argv[1] ?? '');
