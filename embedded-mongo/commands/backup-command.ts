import { chmodSync, closeSync, fsyncSync, openSync, readdirSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { Long } from 'bson';
import { MongoError } from '../errors.js';
import type { Command } from './command.js';
import { okReply } from './ok-reply.js';

/**
 * `embeddedBackup: "/an/empty/folder"` copies the data file there as of one commit, while reads and writes go on. lmdb's
 * compacting copy walks every page that a reader of that moment could reach and writes them anew, with one root: it is
 * whole by itself, and does not depend on what had been flushed. Our own command; MongoDB has none for this.
 */
export const backupCommand: Command = {
  name: 'embeddedBackup',
  options: [],
  run: async ({ context, request }) => {
    if (request.db !== 'admin') throw new MongoError('Unauthorized', 'embeddedBackup may only be run against admin');
    const folder = folderOf(request.body.values[0]);
    await context.env.root.backup(folder, true);
    const path = join(folder, 'data.mdb');
    chmodSync(path, 0o600);
    flush(path);
    return okReply({ path, sizeBytes: Long.fromNumber(statSync(path).size) });
  },
};

function folderOf(value: unknown): string {
  if (typeof value !== 'string' || !isAbsolute(value)) {
    throw new MongoError('BadValue', 'embeddedBackup takes the absolute path of an empty folder on the server');
  }
  let entries: string[];
  try {
    entries = readdirSync(value);
  } catch (error) {
    throw new MongoError('BadValue', `embeddedBackup cannot use ${value}: ${(error as Error).message}`);
  }
  if (entries.length > 0) throw new MongoError('BadValue', `embeddedBackup takes an empty folder; ${value} is not`);
  return value;
}

function flush(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
