import { Problem } from '../../../shared/errors/problem.js';
import { describeUnexpected } from '../../../shared/telemetry/describe-error.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import type { DocumentScan, ScanFinding } from '../documents/index.js';
import type { ScanEngine, ScannedContent } from './ports.js';

const MOST_FINDINGS = 50;

/** A failure of the store is no verdict: the scan is retried. */
const isStoreFault = (error: unknown): boolean =>
  error instanceof Problem && ['INTEGRITY_FAILURE', 'NOT_FOUND', 'UNAVAILABLE'].includes(error.code);

/**
 * Runs every engine. An engine without a verdict is a finding, so that content not known to be clean is flagged.
 *
 * @throws errors of the write-once store
 */
export async function scanContent(
  engines: readonly ScanEngine[],
  content: ScannedContent,
  { logger, nowMs }: { readonly logger: Logger; readonly nowMs: () => number },
): Promise<DocumentScan> {
  const findings: ScanFinding[] = [];
  for (const engine of engines) {
    try {
      for (const found of await engine.scan(content)) findings.push({ engine: engine.name, ...found });
    } catch (error) {
      if (isStoreFault(error)) throw error;
      logger.warn({ ...describeUnexpected(error), engine: engine.name }, 'a content scan engine did not answer');
      const detail = 'The engine did not answer, so the content is not known to be clean.';
      findings.push({ engine: engine.name, code: 'ENGINE_UNAVAILABLE', detail });
    }
  }
  return {
    status: findings.length === 0 ? 'CLEAN' : 'FLAGGED',
    engine: engines.map(({ name }) => name).join('+'),
    findings: findings.slice(0, MOST_FINDINGS),
    scanned_at: new Date(nowMs()),
  };
}
