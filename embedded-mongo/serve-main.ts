import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { firstUser, passwordFileName } from './auth/password-file.js';
import { placeFor } from './launch-place.js';
import { startServer } from './server.js';

// `npm run embedded-mongo -- --data DIR`: the database by itself, for any client of MongoDB.

const usage = `usage: npm run embedded-mongo -- --data DIR [--port N | --no-tcp] [--host ADDRESS]
         [--tls-cert FILE --tls-key FILE]

Serves the folder DIR, made if need be, on a unix socket for its owner and on TCP (127.0.0.1:27017) with
authentication: SCRAM-SHA-256, user "${firstUser}", password in DIR/${passwordFileName}. Other addresses than
loopback need TLS.`;

const defaultPort = 27_017;

function optionsFrom(argv: readonly string[]) {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      data: { type: 'string' },
      port: { type: 'string' },
      host: { type: 'string' },
      'no-tcp': { type: 'boolean' },
      'tls-cert': { type: 'string' },
      'tls-key': { type: 'string' },
    },
  });
  const port = Number(values.port ?? defaultPort);
  const [certFile, keyFile] = [values['tls-cert'], values['tls-key']];
  if (values.data === undefined || !Number.isInteger(port) || port < 0 || port > 65_535) throw new Error(usage);
  if ((certFile === undefined) !== (keyFile === undefined)) throw new Error(usage);
  const tls = certFile !== undefined && keyFile !== undefined ? { tls: { certFile, keyFile } } : {};
  const tcp = { port, ...(values.host === undefined ? {} : { host: values.host }), ...tls };
  return { dataDir: resolve(values.data), ...(values['no-tcp'] ? {} : { tcp }) };
}

async function main(): Promise<void> {
  const options = optionsFrom(process.argv.slice(2));
  const place = placeFor(options);
  const server = await startServer({ ...options, ...place.listen });
  if (server.socketPath !== '') process.stdout.write(`mongodb://${encodeURIComponent(server.socketPath)}/\n`);
  if (server.port !== undefined) {
    const host = options.tcp?.host ?? '127.0.0.1';
    process.stdout.write(
      `mongodb://${firstUser}@${host}:${server.port}/?authSource=admin${options.tcp?.tls ? '&tls=true' : ''}\n`,
    );
    process.stdout.write(
      `the password of the user made at first is in ${resolve(options.dataDir, passwordFileName)}\n`,
    );
  }
  const end = () => {
    void server.close().then(() => {
      place.remove();
      process.exit();
    });
  };
  process.once('SIGINT', end);
  process.once('SIGTERM', end);
}

try {
  await main();
} catch (error) {
  // Wrong arguments, a folder that is refused, a port that is taken: each has a message that says enough.
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
