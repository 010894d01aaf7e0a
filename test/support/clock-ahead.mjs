// Loaded before the service (NODE_OPTIONS=--import=...): its process then runs CLOCK_AHEAD_MS ahead of the machine, with
// its threads and its later children. Each SIGUSR2 moves it further by the next of the CLOCK_STEP_MS (a list with commas;
// after the last comes the first).
import { BroadcastChannel, isMainThread } from 'node:worker_threads';

const stepsMs = (process.env.CLOCK_STEP_MS ?? '0').split(',').map(Number);
let aheadMs = Number(process.env.CLOCK_AHEAD_MS ?? 0);
let steps = 0;
const Machine = globalThis.Date;
const now = () => Machine.now() + aheadMs;

globalThis.Date = new Proxy(Machine, {
  construct: (target, given, made) => Reflect.construct(target, given.length === 0 ? [now()] : given, made),
  apply: () => new Machine(now()).toString(),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});

const threads = new BroadcastChannel('clock-ahead');
threads.onmessage = ({ data }) => {
  aheadMs = data;
};
threads.unref();

if (isMainThread) {
  process.on('SIGUSR2', () => {
    aheadMs += stepsMs[steps % stepsMs.length];
    steps += 1;
    process.env.CLOCK_AHEAD_MS = String(aheadMs);
    threads.postMessage(aheadMs);
  });
}
