import type { Logger } from '../../../../shared/telemetry/logger.js';
import type { Notifier } from '../../service/ports/notifier.js';

/**
 * Writes that a code was made, and outside production the code itself: for who tries the service out. Of the member nothing is
 * written. Where this stands in production, nobody gets a code.
 */
export const logNotifier = (logger: Logger, production: boolean): Notifier => ({
  name: 'log',
  send: async ({ request_id, kind, code }) => {
    const told = { request_id, kind, notifier: 'log', ...(production ? {} : { one_time_code: code }) };
    if (production) logger.warn(told, 'a one-time code reached nobody: SERVICE_NOTIFIER names no way to send it');
    else logger.info(told, 'a one-time code was made');
  },
  close: async () => {},
});
