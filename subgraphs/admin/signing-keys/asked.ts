import { problem } from '../../../shared/errors/problem.js';
import { SignerRefusal, type SignerRefusalCode, SignerUnavailable } from '../../../shared/signing/signer.js';

const RETRY_SECONDS = 5;

/** Refusals that mean: this key cannot sign here. The others are about the text to sign. */
const OF_THE_KEY: ReadonlySet<SignerRefusalCode> = new Set(['UNKNOWN_KEY', 'WRONG_PURPOSE']);

/** Asks the signer, and says in problems what it cannot or will not do. @throws UNAVAILABLE, INVALID_TRANSITION, CONFLICT */
export async function asked<T>(question: () => Promise<T>): Promise<T> {
  try {
    return await question();
  } catch (error) {
    if (error instanceof SignerUnavailable)
      throw problem('UNAVAILABLE', { retryAfterSeconds: RETRY_SECONDS, internal: error.message });
    if (!(error instanceof SignerRefusal)) throw error;
    if (error.code === 'KEY_ENDED')
      throw problem('INVALID_TRANSITION', { message: 'This key is not the active key; sign with the active one.' });
    if (OF_THE_KEY.has(error.code)) throw problem('UNAVAILABLE', { internal: error.message });
    throw problem('CONFLICT', { message: `The signer does not sign this: ${error.code}.`, internal: error.message });
  }
}
