import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { sha256Hex } from '../../shared/crypto/hash.js';
import { contentOf, replaceFile } from './files.js';

// The word of an operator with access to the signer's folder: this incarnation of this log may begin. The service cannot
// give it; where it runs as another user, it cannot write here.

const Accepted = z.object({ log: z.string(), incarnation: z.int().positive(), reason: z.string(), at: z.string() });
type Accepted = z.infer<typeof Accepted>;

const FOLDER = 'accepted';
const pathOf = (root: string, log: string): string => join(root, FOLDER, `${sha256Hex(log)}.json`);

/** @returns the incarnation that an operator accepted for a log; 1 without such a word */
export async function acceptedIncarnation(root: string, log: string): Promise<number> {
  const text = await contentOf(pathOf(root, log));
  if (text === null) return 1;
  const accepted = Accepted.parse(JSON.parse(text));
  if (accepted.log !== log) throw new Error('an accepted incarnation is of another log');
  return accepted.incarnation;
}

/** Durable when it resolves. */
export async function acceptIncarnation(root: string, accepted: Accepted): Promise<void> {
  await mkdir(join(root, FOLDER), { recursive: true, mode: 0o700 });
  await replaceFile(pathOf(root, accepted.log), `${JSON.stringify(accepted)}\n`);
}
