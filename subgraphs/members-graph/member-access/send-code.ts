import { delay } from '../../../shared/clock/timers.js';
import { describeUnexpected } from '../../../shared/telemetry/describe-error.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import { type CodeMessage, type Notifier, NotSent } from './ports.js';

/** Delays before the second and the third attempt; then the member must request a new code. */
const WAITS_MS = [1_000, 5_000] as const;

/** Sends in the background, so that the response time does not show which members exist. */
export type SendCode = (message: CodeMessage) => void;

interface CodeSender {
  readonly send: SendCode;
  /** Waits for messages in progress. */
  close(): Promise<void>;
}

/**
 * Passes codes to the notifier. Queues in memory only, because codes are stored as hashes: if the process stops, the member
 * must request a new code.
 */
export function codeSender(notifier: Notifier, logger: Logger): CodeSender {
  const inProgress = new Set<Promise<void>>();
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
      const sending = attempt(message).finally(() => inProgress.delete(sending));
      inProgress.add(sending);
    },
    close: async () => {
      closing = true;
      await Promise.all(inProgress);
      await notifier.close();
    },
  };
}
