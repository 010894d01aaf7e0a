import { createHash, createHmac } from 'node:crypto';
import type { Leaves } from '../../shared/evidence/record.js';

// A plain implementation of the commitments of docs/evidence.md section 2 on node:crypto: a baseline that stays constant when
// the service's hashing gets faster.

const tagged = (tag: string, ...parts: readonly (Buffer | string)[]): Buffer => {
  const digest = createHash('sha256').update(`eas:${tag}:v1\0`);
  for (const part of parts) digest.update(part);
  return digest.digest();
};

const hmac = (seed: Buffer, text: string): Buffer => createHmac('sha256', seed).update(text).digest();

export interface PlainCommitments {
  readonly commit: string;
  readonly fields: string;
}

export function plainCommitments(seed: Buffer, record: Buffer, leaves: Leaves): PlainCommitments {
  const digests = leaves.pointers.map((pointer, i) => {
    const salt = hmac(seed, `field:${pointer}`).subarray(0, 16);
    return tagged('field', salt, `[${JSON.stringify(pointer)},${leaves.values[i]}]`);
  });
  const padded = Math.ceil(digests.length / 8) * 8;
  for (let i = 0; digests.length < padded; i++) digests.push(tagged('decoy', hmac(seed, `decoy:${i}`)));
  return {
    commit: tagged('commit', hmac(seed, 'commit'), record).toString('hex'),
    fields: tagged('fields', ...digests.sort(Buffer.compare)).toString('hex'),
  };
}
