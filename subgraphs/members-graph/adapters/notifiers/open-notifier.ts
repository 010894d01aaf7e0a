import type { Clock } from '../../../../shared/clock/clock.js';
import type { Config } from '../../../../shared/config/config.js';
import type { Logger } from '../../../../shared/telemetry/logger.js';
import type { Notifier } from '../../service/ports/notifier.js';
import { logNotifier } from './log-notifier.js';
import { smtpNotifier } from './smtp-notifier.js';
import { webhookNotifier } from './webhook-notifier.js';

export interface NotifierDeps {
  readonly config: Pick<Config, 'notifier' | 'production'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The way that the deployment has chosen. What it needs was checked when the settings were read. */
export function openNotifier({ config: { notifier, production }, clock, logger }: NotifierDeps): Notifier {
  const { kind, webhook, smtp } = notifier;
  if (kind === 'webhook' && webhook !== null) return webhookNotifier(webhook, clock);
  if (kind === 'smtp' && smtp !== null) return smtpNotifier(smtp);
  return logNotifier(logger, production);
}
