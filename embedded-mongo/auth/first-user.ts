import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Binary } from 'bson';
import type { ServerContext } from '../commands/command.js';
import { firstUser, passwordFileName } from './password-file.js';
import { credentialsOf } from './scram.js';
import { allUsers, putUser, userDocument } from './users.js';

/** A server that listens on TCP has at least one user: the first is made with a password of its own, kept in a file. */
export async function ensureFirstUser(context: ServerContext, dataDir: string): Promise<void> {
  if (allUsers(context).length > 0) return;
  const password = context.system.randomBytes(24).toString('base64url');
  // The file first: a user whose password nobody knows would shut everybody out.
  writeDurably(join(dataDir, passwordFileName), `${password}\n`);
  const name = { user: firstUser, db: 'admin' };
  const credentials = await credentialsOf(password, context.system.randomBytes);
  const userId = new Binary(context.system.randomBytes(16), Binary.SUBTYPE_UUID);
  await context.writes.run(() => putUser(context, userDocument(name, userId, credentials, undefined), undefined));
}

function writeDurably(path: string, text: string): void {
  const draft = `${path}.draft`;
  const file = openSync(draft, 'w', 0o600);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
}
