import { delay } from '../../../../shared/clock/timers.js';
import { describeUnexpected } from '../../../../shared/telemetry/describe-error.js';
import type { Logger } from '../../../../shared/telemetry/logger.js';
import { type CodeMessage, type Notifier, NotSent } from '../ports/notifier.js';

/** Waits before the second and the third attempt; after it the member asks for another code. */
const WAITS_MS = [1_000, 5_000] as const;

/** Sends beside the answer, so that its time tells nothing of who is known. */
export type SendCode = (message: CodeMessage) => void;

export interface CodeSender {
  readonly send: SendCode;
  /** Lets what is on its way end, and takes no more. */
  close(): Promise<void>;
}

/**
 * Hands codes to the notifier. In memory alone: a code is stored as its hash and nowhere else, so that one that was not sent when
 * a process died is gone, and another one is asked for.
 */
export function codeSender(notifier: Notifier, logger: Logger): CodeSender {
  const underWay = new Set<Promise<void>>();
  let closing = false;
  const attempt = async (message: CodeMessage): Promise<void> => {
    for (const waitMs of [...WAITS_MS, null]) {
      try {
        return await notifier.send(message);
      } catch (error) {
        const why = error instanceof NotSent ? { reason: error.message } : describeUnexpected(error);
        const { request_id } = message;
        logger.warn({ ...why, request_id, notifier: notifier.name }, 'a one-time code could not be sent');
        if (waitMs === null || closing) return;
        await delay(waitMs);
      }
    }
  };
  return {
    send: (message) => {
      const sending = attempt(message).finally(() => underWay.delete(sending));
      underWay.add(sending);
    },
    close: async () => {
      closing = true;
      await Promise.all(underWay);
      await notifier.close();
    },
  };
}
