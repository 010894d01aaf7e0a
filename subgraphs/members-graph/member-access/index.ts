import type { SubgraphDeps } from '../../../shared/contracts/deps.js';
import type { MembersArea } from '../parts.js';
import { logNotifier, smtpNotifier, webhookNotifier } from './adapters/notifiers.js';
import { CODE_MACHINES, SESSION_MACHINES } from './domain.js';
import { ACCESS_CODES, CODE_LIMITS, codeLimits, codeStore, MEMBER_SESSIONS, sessionStore } from './model.js';
import type { MemberContacts, Notifier } from './ports.js';
import { MemberAccessResolver } from './resolver.js';
import { codeSender } from './send-code.js';

/** The access of members and their representatives to one record: codes, sessions, tokens. */
export const accessArea: MembersArea = {
  resolvers: [MemberAccessResolver],
  stateMachines: [...Object.values(CODE_MACHINES), ...Object.values(SESSION_MACHINES)],
  collections: [ACCESS_CODES, MEMBER_SESSIONS, CODE_LIMITS],
  wire: ({ deps, directory, stores: { members }, outbox }) => {
    const { db } = deps.database;
    const sender = codeSender(openNotifier(deps), deps.logger);
    const contacts: MemberContacts = async (tenantId, memberId) => {
      const identity = await directory.identityOf(tenantId, memberId);
      // Read in both cases, so that an unknown member takes the same time.
      const found = await members(tenantId).get(identity?.member_id ?? memberId);
      return identity === null || found === null
        ? null
        : { member_id: found.member_id, emails: found.emails, phones: found.phones };
    };
    const access = {
      ...deps,
      directory,
      contacts,
      codes: codeStore({ db, outbox }),
      sessions: sessionStore({ db, outbox }),
      limits: codeLimits(db, deps.masterKey, deps.clock),
      send: sender.send,
    };
    return { resolvers: [new MemberAccessResolver(access)], close: () => sender.close() };
  },
};

/** Opens the notifier of the deployment; the configuration checked its settings. */
function openNotifier({ config: { notifier, production }, clock, logger }: SubgraphDeps): Notifier {
  const { kind, webhook, smtp } = notifier;
  if (kind === 'webhook' && webhook !== null) return webhookNotifier(webhook, clock);
  if (kind === 'smtp' && smtp !== null) return smtpNotifier(smtp);
  return logNotifier(logger, production);
}
