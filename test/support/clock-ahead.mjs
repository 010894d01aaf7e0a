// Loaded before the service (NODE_OPTIONS=--import=...): its process then runs CLOCK_AHEAD_MS ahead of the machine.
// SIGUSR2 moves it further by CLOCK_STEP_MS, past the age of records that are kept for years.

const stepMs = Number(process.env.CLOCK_STEP_MS ?? 0);
let aheadMs = Number(process.env.CLOCK_AHEAD_MS ?? 0);
const Machine = globalThis.Date;
const now = () => Machine.now() + aheadMs;

globalThis.Date = new Proxy(Machine, {
  construct: (target, given, made) => Reflect.construct(target, given.length === 0 ? [now()] : given, made),
  apply: () => new Machine(now()).toString(),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});

process.on('SIGUSR2', () => {
  aheadMs += stepMs;
});
