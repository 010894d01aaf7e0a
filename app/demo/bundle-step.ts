import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../shared/clock/clock.js';
import { delay } from '../../shared/clock/timers.js';
import { repositoryFile } from '../repository.js';
import type { DemoClient } from './client.js';

// The job that all the rest is for: a bundle is asked for, built, downloaded, and judged by a program that knows nothing
// of the service.

/** What the demonstration reads of a bundle's record. */
interface BundleItem {
  readonly bundle_id: string;
  readonly status: 'REQUESTED' | 'SEALED' | 'FAILED';
  readonly progress: { readonly phase: string; readonly done: number; readonly total: number };
  readonly event_count?: number;
  readonly signing_key_id?: string;
  readonly worm_blob_sha256?: string;
  readonly failure?: { readonly code: string; readonly message: string };
}

interface BundleStepDeps {
  readonly plan: DemoClient;
  readonly clock: Clock;
  readonly say: (text: string) => void;
  /** Where the ZIP is put. */
  readonly folder: string;
}

const POLL_MS = 50;
const DEADLINE_MS = 120_000;

/** @throws where the bundle fails, takes too long, or does not verify with the key that the service publishes. */
export async function sealAndVerify(deps: BundleStepDeps, memberId: string, expectedEvents: number): Promise<void> {
  const { plan, say, folder } = deps;
  const asked = await plan.post<BundleItem>('/v1/bundles', {
    scope: { member_id: memberId },
    requested_by: 'counsel@demo-plan.example',
  });
  const bundle = await sealed(deps, asked.bundle_id);
  if (bundle.event_count !== expectedEvents) {
    throw new Error(`expected ${expectedEvents} events in the bundle, found ${bundle.event_count}`);
  }
  const zip = await plan.getBytes(`/v1/bundles/${bundle.bundle_id}/download`);
  const path = join(folder, `${bundle.bundle_id}.zip`);
  await writeFile(path, zip);
  say(`      downloaded ${zip.length} bytes, sha256 ${bundle.worm_blob_sha256?.slice(0, 16)}…`);
  const keys = join(folder, 'published-keys.json');
  await writeFile(keys, JSON.stringify(await plan.get('/v1/signing-keys/jwks')));
  say(`      node verify.mjs bundle.zip --key ${bundle.signing_key_id} --keys published-keys.json`);
  await judge(say, [path, '--key', bundle.signing_key_id ?? '', '--keys', keys]);
}

/** Polls as an integrator does, and prints each phase. */
async function sealed({ plan, clock, say }: BundleStepDeps, bundleId: string): Promise<BundleItem> {
  const deadlineMs = clock.nowMs() + DEADLINE_MS;
  for (let told = ''; ; await delay(POLL_MS)) {
    const bundle = await plan.get<BundleItem>(`/v1/bundles/${bundleId}`);
    const { phase, done, total } = bundle.progress;
    const line = `${bundle.status} ${phase} ${done}/${total}`;
    if (line !== told) say(`      ${bundleId}: ${line}`);
    told = line;
    if (bundle.status === 'SEALED') return bundle;
    if (bundle.status === 'FAILED') throw new Error(`the bundle failed: ${bundle.failure?.code}`);
    if (clock.nowMs() > deadlineMs) throw new Error('the bundle was not built in time');
  }
}

/** The same file as in every bundle, from the build's output. */
async function judge(say: (text: string) => void, words: readonly string[]): Promise<void> {
  const verifier = repositoryFile('dist/verifier/verify.mjs');
  const child = spawn(process.execPath, [verifier, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  let report = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    report += text;
  });
  const [exitCode] = await once(child, 'close');
  for (const line of report.trimEnd().split('\n')) say(line === '' ? '' : `      ${line}`);
  if (exitCode !== 0) throw new Error(`the verifier left with ${exitCode}`);
}
