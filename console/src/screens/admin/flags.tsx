import { type Api, api, unwrap } from '../../api/client';
import { useSigned } from '../../api/session';
import { useText } from '../../text';
import { List, usePages } from '../../ui/list';
import { Badge, Deed, Panel } from '../../ui/parts';

type Flag = Api<'FeatureFlag'>;

/** The whole flag as the service takes it, with another switch. The revision tells the service which one was read. */
function withSwitch(flag: Flag, enabled: boolean): Api<'FeatureFlagInput'> {
  const { revision, type, variants, default_variant, targeting, description, owner, expires_at } = flag;
  return {
    revision,
    type,
    variants,
    default_variant,
    targeting,
    enabled,
    ...(description === null ? {} : { description }),
    ...(owner === null ? {} : { owner }),
    ...(expires_at === null ? {} : { expires_at }),
  };
}

export function Flags() {
  const { t } = useText();
  const { may } = useSigned();
  const pages = usePages(['feature-flags'], (cursor) =>
    unwrap(api.GET('/v1/feature-flags', { params: { query: cursor === undefined ? {} : { cursor } } })),
  );
  const turn = (flag: Flag) => async (): Promise<void> => {
    const params = { path: { key: flag.key } };
    await unwrap(api.PUT('/v1/feature-flags/{key}', { params, body: withSwitch(flag, !flag.enabled) }));
    await pages.refetch();
  };
  return (
    <Panel title={t('Feature flags', 'Indicadores de función')}>
      <List
        label={t('Feature flags', 'Indicadores de función')}
        pages={pages}
        keyOf={(flag) => flag.key}
        empty={t(
          'No flag yet. Systems create them with PUT /v1/feature-flags/{key}.',
          'Ningún indicador todavía. Los sistemas los crean con PUT /v1/feature-flags/{key}.',
        )}
        columns={[
          [t('Flag', 'Indicador'), (flag) => <code>{flag.key}</code>],
          [t('Description', 'Descripción'), (flag) => flag.description ?? '—'],
          [t('Default', 'Por defecto'), (flag) => flag.default_variant],
          [t('Status', 'Estado'), (flag) => <Badge>{flag.enabled ? 'ON' : 'OFF'}</Badge>],
          [
            t('Change', 'Cambiar'),
            (flag) =>
              may('flags:write') ? (
                <Deed label={flag.enabled ? t('Turn off', 'Apagar') : t('Turn on', 'Encender')} run={turn(flag)} />
              ) : null,
          ],
        ]}
      />
    </Panel>
  );
}
