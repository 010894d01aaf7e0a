import { hash } from 'node:crypto';
import type { Document } from 'mongodb';
import { entryHash } from '../../shared/evidence/chain.js';
import { Committer } from '../../shared/evidence/commitments.js';
import type { Leaves } from '../../shared/evidence/record.js';
import { rebuildRecord } from '../../shared/evidence/record.js';
import { LEDGER_COLLECTION } from '../../subgraphs/ledger/append/model/collections.js';
import { withCpu } from '../support/cpu.js';
import { type Ratio, ratioOf } from '../support/measure.js';
import { plainCommitments } from '../support/plain-hashes.js';
import type { Stack } from '../support/stack.js';

interface Prepared {
  readonly record: Buffer;
  readonly seed: Buffer;
  readonly leaves: Leaves;
  readonly header: Parameters<typeof entryHash>[0];
}

/**
 * Compares GET /v1/ledger/verify over REST (reads rows and write-once copies, parses, re-hashes, compares values) with a bare
 * loop: the same hashes by node:crypto over the same parsed records in memory. Also reports the same loop on the service's
 * hashing, and verification of headers alone.
 */
export async function benchVerify(stack: Stack, rounds: number): Promise<Ratio> {
  const prepared = await prepare(stack);
  const pairs: [number, number][] = [];
  const lines: string[] = [];
  bareLoop(prepared);
  const sample = prepared.slice(0, PLAIN_SAMPLE);
  plainLoop(sample);
  for (let round = 0; round < rounds; round++) {
    const full = await verifiedPerSecond(stack, '', prepared.length);
    const headers = await verifiedPerSecond(stack, '?depth=headers', prepared.length);
    const verified = full.perSecond;
    const plain = plainLoop(sample);
    const bare = bareLoop(prepared);
    pairs.push([verified, plain]);
    lines.push(
      `verify over REST: ${Math.round(verified)} events/s, headers alone ${Math.round(headers.perSecond)} events/s; bare loop on node:crypto: ${Math.round(plain)} events/s; ` +
        `bare loop on the service's own four-lane hashing: ${Math.round(bare)} events/s (${(verified / bare).toFixed(2)} of it)`,
      `  ${full.cpu}; headers alone: ${headers.cpu}`,
    );
  }
  return ratioOf(
    `verification of ${prepared.length} events / bare loop of the same hashes on node:crypto`,
    0.6,
    pairs,
    lines,
  );
}

/** The service may append to its own chains meanwhile. */
async function verifiedPerSecond(
  stack: Stack,
  query: string,
  least: number,
): Promise<{ readonly perSecond: number; readonly cpu: string }> {
  const { run, cpu } = await withCpu(stack.processes, async () => {
    const start = performance.now();
    const text = await stack.rest.get(`/v1/ledger/verify${query}`);
    const seconds = (performance.now() - start) / 1000;
    const { valid, checked } = JSON.parse(text) as { valid: boolean; checked: number };
    if (!valid || checked < least) throw new Error('the ledger of the benchmark must verify');
    return { items: checked, perSecond: checked / seconds };
  });
  return { perSecond: run.perSecond, cpu };
}

async function prepare(stack: Stack): Promise<Prepared[]> {
  const rows = await stack.raw
    .db('eas')
    .collection(LEDGER_COLLECTION)
    .find({ tenant_id: stack.rest.tenantId }, { promoteBuffers: true })
    .toArray();
  return rows.map((row) => prepareRow(row));
}

function prepareRow(row: Document): Prepared {
  const record = row['record'] as Buffer;
  const id = row['_id'] as { tenant_id: string; source_system: string; seq: number };
  return {
    record,
    seed: row['seed'] as Buffer,
    leaves: rebuildRecord(JSON.parse(record.toString('utf8')), false).leaves,
    header: {
      commit: row['commit'] as string,
      event_id: row['event_id'] as string,
      fields: row['fields'] as string,
      member_tag: row['member_tag'] as string | null,
      prev: row['prev_hash'] as string,
      recorded_at: (row['recorded_at'] as Date).toISOString(),
      seq: id.seq,
      source_system: id.source_system,
      tenant_id: id.tenant_id,
    },
  };
}

/** Enough for a steady figure; the loop on node:crypto is the slowest part of the whole run. */
const PLAIN_SAMPLE = 20_000;

function plainLoop(prepared: readonly Prepared[]): number {
  const start = performance.now();
  for (const { record, seed, leaves, header } of prepared) {
    const made = plainCommitments(seed, record, leaves);
    if (made.commit !== header.commit || made.fields !== header.fields)
      throw new Error('the yardstick hashes otherwise');
    if (entryHash(header).length + hash('sha256', record, 'hex').length !== 128) throw new Error('a digest is cut');
  }
  return prepared.length / ((performance.now() - start) / 1000);
}

/** @returns events per second. Includes the hash of the write-once copy, which verification checks too. */
function bareLoop(prepared: readonly Prepared[]): number {
  const committer = new Committer();
  const start = performance.now();
  let check = 0;
  for (const { record, seed, leaves, header } of prepared) {
    check += committer.commit(seed, record, leaves).fields.length;
    check += entryHash(header).length;
    check += hash('sha256', record, 'hex').length;
  }
  if (check === 0) throw new Error('nothing was hashed');
  return prepared.length / ((performance.now() - start) / 1000);
}
