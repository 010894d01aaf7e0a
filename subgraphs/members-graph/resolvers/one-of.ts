import { fault, problem } from '../../../shared/errors/problem.js';

/** A word of a closed list, from outside. @throws VALIDATION_ERROR for any other */
export function oneOf<T extends string>(name: string, words: readonly T[], given: string): T {
  const found = words.find((word) => word === given);
  if (found !== undefined) return found;
  throw problem('VALIDATION_ERROR', { errors: [fault(`/${name}`, 'enum', `Must be one of ${words.join(', ')}.`)] });
}
