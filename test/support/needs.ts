import { existsSync } from 'node:fs';
import { describe, it } from '@jest/globals';
import { repositoryFile } from '../../app/repository.js';

// A test that needs something this machine may lack is skipped with its reason in its name. test/run.mjs prints each reason
// once and fails a run that skips a test without one.

/** Why the tests cannot run here, or null when they can. */
export type Lack = string | null;

/** @returns the lack of a file or folder of `../shared`. */
export const lackOfShared = (path = ''): Lack =>
  existsSync(repositoryFile(`../shared/${path}`)) ? null : `../shared/${path} is absent`;

/** @returns the lack of a value that was looked for, such as a browser's path. */
export const lackOf = (found: unknown, what: string): Lack =>
  found === undefined || found === null || found === false ? `${what} not installed` : null;

/** @returns the lack of a count that only the long run sets. */
export const lackOfCount = (count: number, variable: string): Lack =>
  count > 0 ? null : `runs when ${variable} is set`;

const named = (name: string, lack: string): string => `${name} [skipped: ${lack}]`;

/** Registers a test that runs unless something is lacking. */
export const itUnless = (lack: Lack): Pick<typeof it, 'each'> & typeof it =>
  lack === null ? it : skipping(it.skip, lack);

/** Registers a group of tests that run unless something is lacking. */
export const describeUnless = (lack: Lack): typeof describe =>
  lack === null ? describe : skipping(describe.skip, lack);

type Register = (name: string, ...rest: readonly unknown[]) => unknown;

/** The same registering function, the reason added to each name it takes. */
function skipping<T extends object>(register: object, lack: string): T {
  const withReason =
    (inner: Register): Register =>
    (name, ...rest) =>
      inner(named(name, lack), ...rest);
  const handler: ProxyHandler<object> = {
    apply: (target, self, given: [string, ...unknown[]]) =>
      Reflect.apply(target as Register, self, [named(given[0], lack), ...given.slice(1)]),
    get: (target, key) =>
      key === 'each'
        ? (...table: unknown[]) => withReason(Reflect.get(target, 'each')(...table))
        : Reflect.get(target, key),
  };
  // The proxy has every member of the function it wraps.
  return new Proxy(register, handler) as T;
}
