import { appendFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { startService } from '../../dist/app/start-service.js';
import { startWorker } from '../../dist/embedded-mongo/index.js';
import { configFrom } from '../../dist/shared/config/config.js';
import { createLogger } from '../../dist/shared/telemetry/logger.js';

// Starts whole services for the suites of one jest worker, each with a separate database; see global-setup.mjs.
// POST / starts one, DELETE /<name> ends it. The host ends when its standard input does.

const running = new Map();
let names = 0;

/** With a MONGODB_URI and a SERVICE_DATA_DIR in the settings, the service shares their data with others. */
async function start({ settings, logFile }) {
  const database = settings.MONGODB_URI === undefined ? await startWorker() : null;
  const dataDir = settings.SERVICE_DATA_DIR === undefined ? await mkdtemp(join(tmpdir(), 'eas-whole-')) : null;
  const env = {
    PORT: '0',
    SERVICE_LOG_LEVEL: 'silent',
    ...(database && { MONGODB_URI: database.uri }),
    ...(dataDir && { SERVICE_DATA_DIR: dataDir }),
    ...settings,
  };
  const config = configFrom(env);
  const write = (line) => {
    try {
      appendFileSync(logFile, line);
    } catch (error) {
      // Work that outlives the drain of its service still logs after the suite has deleted its folder.
      if (error.code !== 'ENOENT') throw error;
    }
  };
  const service = await startService(config, logFile ? { logger: createLogger(config.logLevel, { write }) } : {});
  const name = String(++names);
  running.set(name, async () => {
    await service.stop();
    await database?.stop();
    if (dataDir === null) return;
    for (const folder of [dataDir, `${dataDir}-signer`, `${dataDir}-checkpoints`])
      await rm(folder, { recursive: true, force: true });
  });
  return { name, url: service.url, databaseUri: env.MONGODB_URI, dataDir: env.SERVICE_DATA_DIR };
}

async function end(name) {
  const stop = running.get(name);
  running.delete(name);
  await stop?.();
}

const server = createServer(async (request, response) => {
  // A connection that is kept may be closed just as the next question goes out on it.
  response.setHeader('connection', 'close');
  try {
    if (request.method === 'POST') response.end(JSON.stringify(await start(JSON.parse(await text(request)))));
    else {
      await end((request.url ?? '/').slice(1));
      response.end();
    }
  } catch (error) {
    response.writeHead(500).end(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
});

server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}\n`));
process.stdin.resume().once('end', async () => {
  await Promise.all([...running.keys()].map(end));
  process.exit(0);
});
