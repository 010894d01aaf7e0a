import { api, unwrap } from '../../api/client';
import { useSigned } from '../../api/session';
import { Link, refine, usePlace } from '../../router';
import { useText } from '../../text';
import { FilterField } from '../../ui/filter-field';
import { List, usePages } from '../../ui/list';
import { Badge, Field, Panel, Time } from '../../ui/parts';
import { RULE_KINDS } from './draft';

export default function Rules() {
  const { t } = useText();
  const { may } = useSigned();
  const { query } = usePlace();
  const kind = RULE_KINDS.find((one) => one === query.get('kind'));
  const code = query.get('code') ?? '';
  const where = { ...(kind === undefined ? {} : { kind }), ...(code === '' ? {} : { code }) };
  const pages = usePages(['rules', where], (cursor) =>
    unwrap(api.GET('/v1/rules', { params: { query: { ...where, ...(cursor === undefined ? {} : { cursor }) } } })),
  );
  return (
    <>
      <h1>{t('Rules', 'Reglas')}</h1>
      <div className="row">
        <Field
          label={t('Kind', 'Tipo')}
          value={kind ?? ''}
          onChange={(value) => refine({ kind: value })}
          options={[['', t('all', 'todos')], ...RULE_KINDS.map((one) => [one, one] as const)]}
        />
        <FilterField
          label={t('Code', 'Código')}
          value={code}
          onApply={(value) => refine({ code: value })}
          hint={t('SYSTEM/CODE, such as HCPCS/E0601', 'SISTEMA/CÓDIGO, como HCPCS/E0601')}
        />
      </div>
      <Panel
        title={t('Rules of the tenant and of the shared corpus', 'Reglas de la organización y del corpus común')}
        actions={may('rules:write') ? <Link to="/rules/new">{t('Draft a new rule', 'Redactar una regla')}</Link> : null}
      >
        <List
          label={t('Rules', 'Reglas')}
          pages={pages}
          keyOf={(rule) => rule.rule_id}
          empty={t('No rule fits. Remove a filter.', 'Ninguna regla coincide. Quite un filtro.')}
          columns={[
            [t('Rule', 'Regla'), (rule) => <Link to={`/rules/${rule.rule_id}`}>{rule.title}</Link>],
            [t('Key', 'Clave'), (rule) => <code>{rule.key}</code>],
            [t('Kind', 'Tipo'), (rule) => rule.kind],
            [t('Revision', 'Revisión'), (rule) => rule.revision],
            [t('In force from', 'En vigor desde'), (rule) => <Time at={rule.effective_from} />],
            [t('Corpus', 'Corpus'), (rule) => (rule.shared ? <Badge>{t('shared', 'común')}</Badge> : '—')],
          ]}
        />
      </Panel>
    </>
  );
}
