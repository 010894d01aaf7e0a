import { spawn, spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

// A suite that uses the whole service over HTTP need not load it: each start costs five seconds of processor time, mostly
// for loading and joining schemas. Each jest worker has one host process instead, which loads the service once, when the
// first suite asks. Suites of one worker run one after the other, so a host never serves two suites at once.

const root = fileURLToPath(new URL('../../', import.meta.url));
const hosts = new Map();
let built = process.env.EAS_TESTS_BUILT !== undefined;

/** Builds before hosts run the compiled code. `npm test` has built already; other ways to run a suite have not. */
function build() {
  if (built) return;
  const { status, stderr } = spawnSync('npm', ['run', '-s', 'build'], { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`the service could not be compiled:\n${stderr}`);
  built = true;
}

function startHost() {
  build();
  const child = spawn(
    process.execPath,
    ['--enable-source-maps', fileURLToPath(new URL('service-host.mjs', import.meta.url))],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  const url = new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the host of services ended with ${code}`)));
    createInterface({ input: child.stdout }).once('line', resolve);
  });
  return { child, url };
}

/** Credentials of the bucket servers of tests. Set here, because a thread does not see what a suite sets for itself. */
const BUCKET_CREDENTIALS = { AWS_ACCESS_KEY_ID: 'eas-test-key', AWS_SECRET_ACCESS_KEY: 'eas-test-secret' };

/** `/<worker>` answers with the address of that worker's host. */
// biome-ignore lint/style/noDefaultExport: jest calls what the file exports so.
export default async function setUp() {
  Object.assign(process.env, BUCKET_CREDENTIALS);
  const server = createServer(async (request, response) => {
    // A connection that is kept may be closed just as the next question goes out on it.
    response.setHeader('connection', 'close');
    try {
      const worker = request.url ?? '/';
      const ended = hosts.get(worker)?.child.exitCode ?? null;
      if (!hosts.has(worker) || ended !== null) hosts.set(worker, startHost());
      response.end(await hosts.get(worker).url);
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  process.env.EAS_SERVICE_HOSTS = `http://127.0.0.1:${server.address().port}`;
  globalThis.endServiceHosts = async () => {
    server.close();
    await Promise.all(
      [...hosts.values()].map(
        ({ child }) =>
          new Promise((resolve) => {
            if (child.exitCode !== null) return resolve();
            child.once('exit', resolve);
            // Its input ends with this process too, whichever way that ends.
            child.stdin.end();
          }),
      ),
    );
  };
}
