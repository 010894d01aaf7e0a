import { describe, expect, it } from '@jest/globals';
import { createLogger } from '../../../shared/telemetry/logger.js';

describe('the log', () => {
  it('is JSON lines, and removes confidential members that a library attaches', () => {
    const lines: string[] = [];
    const logger = createLogger('info', { write: (line: string) => lines.push(line) });
    logger.debug('not this');
    logger.info(
      {
        req: { headers: { authorization: 'Bearer s3cret', 'x-api-key': 's3cret' } },
        key: { api_key: 's3cret', secret: 's3cret' },
        event: { payload: { diagnosis: 's3cret' }, member_id: 's3cret' },
      },
      'told',
    );
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toContain('s3cret');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 30, msg: 'told' });
  });
});
