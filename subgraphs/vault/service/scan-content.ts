import { Problem } from '../../../shared/errors/problem.js';
import { describeUnexpected } from '../../../shared/telemetry/describe-error.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import type { DocumentScan, ScanFinding } from './ports/document-store.js';
import type { ScanEngine, ScannedContent } from './ports/scan-engine.js';

const MOST_FINDINGS = 50;

/** A fault of the store and not of an engine: the scan is tried again, and says nothing of the document. */
const ofTheStore = (error: unknown): boolean =>
  error instanceof Problem && ['INTEGRITY_FAILURE', 'NOT_FOUND', 'UNAVAILABLE'].includes(error.code);

/**
 * Asks every engine. One that does not answer, or cannot tell, is a finding like any other: what is not known to be clean
 * is flagged. @throws what the write-once store throws
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
      if (ofTheStore(error)) throw error;
      logger.warn(
        { ...describeUnexpected(error), engine: engine.name },
        'an engine of the content scan did not answer',
      );
      const detail = 'The engine did not answer, so it is not known whether the content is clean.';
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
