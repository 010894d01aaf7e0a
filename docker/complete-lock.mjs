// `npm run lock`: names in package-lock.json the native binaries of every platform. An npm that can see only its own
// platform's packages leaves the others out, and `npm ci` (the image's build) then refuses the file. Run after npm install.
import { readFileSync, writeFileSync } from 'node:fs';

const OS = {
  darwin: 'darwin',
  linux: 'linux',
  linuxmusl: 'linux',
  win32: 'win32',
  android: 'android',
  freebsd: 'freebsd',
  openharmony: 'openharmony',
  wasm32: null,
};
const CPU = ['x64', 'arm64', 'ia32', 'arm', 'ppc64', 's390x', 'riscv64', 'loong64', 'wasm32'];

/** Platform entries that the lock's own packages name as optional, and that it lacks. */
export function missingEntries(lock) {
  const missing = new Map();
  for (const [path, entry] of Object.entries(lock.packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      const nested = `${path}/node_modules/${name}`;
      if (lock.packages[nested] || lock.packages[`node_modules/${name}`] || !/^\d/.test(version)) continue;
      missing.set(`node_modules/${name}`, {
        version,
        optional: true,
        ...(entry.dev ? { dev: true } : {}),
        ...platformOf(name),
      });
    }
  }
  return missing;
}

/** Read from the name (`@swc/core-linux-arm-gnueabihf`), as the packages themselves are named by it. */
function platformOf(name) {
  const words = name.split(/[-/]/);
  const os = words.map((word) => OS[word]).find((found) => found !== undefined);
  const cpu = CPU.find((word) => words.includes(word));
  const libc = words.includes('musl') ? { libc: ['musl'] } : words.includes('gnu') ? { libc: ['glibc'] } : {};
  return { ...(os ? { os: [os] } : {}), ...(cpu ? { cpu: [cpu] } : {}), ...libc };
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const path = new URL('../package-lock.json', import.meta.url);
  const lock = JSON.parse(readFileSync(path, 'utf8'));
  const missing = missingEntries(lock);
  for (const [name, entry] of missing) lock.packages[name] = entry;
  lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
  writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
  process.stdout.write(`${missing.size} entries added\n`);
}
