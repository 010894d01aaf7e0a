#!/usr/bin/env node
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startServer } from '../server/server.js';
import { FIRST_USER, PASSWORD_FILE_NAME } from '../store/data-directory.js';
import { placeFor } from './place.js';

// `npm run embedded-mongo -- --data DIR`: serves a folder to any MongoDB client.

const USAGE = `usage: npm run embedded-mongo -- --data DIR [--port N | --no-tcp] [--host ADDRESS]
         [--tls-cert FILE --tls-key FILE] [--socket PATH] [--test-commands]
         [--permissive-indexes]

Serves the folder DIR (created if missing) on a unix socket for its owner (PATH, which must end in .sock) and
on TCP (127.0.0.1:27017) with authentication: SCRAM-SHA-256, user "${FIRST_USER}", password in DIR/${PASSWORD_FILE_NAME}.
Other addresses than loopback need TLS. --test-commands adds fail points, for tests of clients.
--permissive-indexes accepts geo, wildcard and hashed indexes as declarations that are never used.
--help prints this text.`;

const DEFAULT_PORT = 27_017;
const MAX_PORT = 65_535;

function valuesFrom(argv: readonly string[]) {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      help: { type: 'boolean', short: 'h' },
      data: { type: 'string' },
      port: { type: 'string' },
      host: { type: 'string' },
      'no-tcp': { type: 'boolean' },
      'tls-cert': { type: 'string' },
      'tls-key': { type: 'string' },
      socket: { type: 'string' },
      'test-commands': { type: 'boolean' },
      'permissive-indexes': { type: 'boolean' },
    },
  });
  return values;
}

function wrong(reason: string): Error {
  return new Error(`${reason}\n\n${USAGE}`);
}

function optionsFrom(values: ReturnType<typeof valuesFrom>) {
  const port = Number(values.port ?? DEFAULT_PORT);
  const [certFile, keyFile] = [values['tls-cert'], values['tls-key']];
  if (values.data === undefined) throw wrong('--data DIR is missing.');
  if (!Number.isInteger(port) || port < 0 || port > MAX_PORT)
    throw wrong(`--port must be a whole number from 0 to ${MAX_PORT}.`);
  if ((certFile === undefined) !== (keyFile === undefined))
    throw wrong('--tls-cert and --tls-key must be given together.');
  const tls = certFile !== undefined && keyFile !== undefined ? { tls: { certFile, keyFile } } : {};
  const tcp = { port, ...(values.host === undefined ? {} : { host: values.host }), ...tls };
  const server = {
    dataDir: resolve(values.data),
    testCommands: values['test-commands'] === true,
    permissiveIndexes: values['permissive-indexes'] === true,
  };
  return { ...server, ...(values['no-tcp'] ? {} : { tcp }), socketPath: values.socket && resolve(values.socket) };
}

async function main(): Promise<void> {
  const values = valuesFrom(process.argv.slice(2));
  if (values.help) {
    process.stdout.write(`${USAGE}\n`);
    return;
  }
  const { socketPath, ...options } = optionsFrom(values);
  const place = placeFor(options, socketPath);
  const server = await startServer({ ...options, ...place.listen });
  if (server.socketPath !== '') process.stdout.write(`mongodb://${encodeURIComponent(server.socketPath)}/\n`);
  if (server.port !== undefined) {
    const host = options.tcp?.host ?? '127.0.0.1';
    process.stdout.write(
      `mongodb://${FIRST_USER}@${host}:${server.port}/?authSource=admin${options.tcp?.tls ? '&tls=true' : ''}\n`,
    );
    process.stdout.write(`the password of the first user is in ${resolve(options.dataDir, PASSWORD_FILE_NAME)}\n`);
  }
  const end = () => {
    void server
      .close()
      .then(() => place.remove())
      .then(() => process.exit());
  };
  process.once('SIGINT', end);
  process.once('SIGTERM', end);
}

main().catch((error: unknown) => {
  // Wrong arguments, a rejected folder and a used port have messages that need no stack.
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
});
