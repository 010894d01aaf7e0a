import { describe, expect, it } from '@jest/globals';
import { Problem, problem } from '../../../shared/errors/problem.js';
import { ERROR_CODES, ERROR_REGISTRY, isErrorCode } from '../../../shared/errors/registry.js';

describe('a problem', () => {
  it('has the status and title of the registry, and its default public text', () => {
    for (const code of ERROR_CODES) {
      const made = problem(code);
      expect(made).toMatchObject({
        code,
        status: ERROR_REGISTRY[code].status,
        title: ERROR_REGISTRY[code].title,
        message: ERROR_REGISTRY[code].publicText,
      });
      expect(isErrorCode(code)).toBe(true);
    }
    expect(problem('NOT_FOUND', { message: 'No such tenant.' }).message).toBe('No such tenant.');
  });

  it('keeps its cause out of its public text', () => {
    const cause = new Error('E11000 dup key: { member_id: "M-1" }');
    const made = new Problem('CONFLICT', { internal: 'duplicate', cause });
    expect(made.cause).toBe(cause);
    expect(made.message).not.toContain('M-1');
  });

  it('distinguishes codes from other words', () => {
    for (const word of ['', 'not_found', 'toString', '__proto__', 404, null]) expect(isErrorCode(word)).toBe(false);
  });

  it('has the specified codes with their statuses', () => {
    expect(ERROR_REGISTRY.NOT_SEALED.status).toBe(409);
    expect(ERROR_REGISTRY.RATE_LIMITED.status).toBe(429);
    expect(ERROR_REGISTRY.UNAUTHENTICATED.status).toBe(401);
    expect(ERROR_REGISTRY.FORBIDDEN.status).toBe(403);
    expect(ERROR_REGISTRY.VALIDATION_ERROR.status).toBe(400);
    expect(ERROR_REGISTRY.INTERNAL.status).toBe(500);
  });
});
