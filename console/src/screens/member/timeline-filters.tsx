import type { operations } from '../../../../client/schema';
import { refine, usePlace } from '../../router';
import { useText } from '../../text';
import { FilterField } from '../../ui/filter-field';
import { Field } from '../../ui/parts';

const KINDS = ['EVENT', 'DECISION', 'DOCUMENT', 'HOLD', 'BUNDLE', 'CONSENT', 'APPOINTMENT', 'CARE_TEAM'] as const;
const TEXTS = ['code', 'provider', 'outcome'] as const satisfies readonly (keyof Query)[];
const DAYS = ['from', 'to'] as const satisfies readonly (keyof Query)[];

type Query = NonNullable<operations['getMemberTimeline']['parameters']['query']>;

/** The conditions of the timeline in the parameters of the place; days begin at midnight in UTC. */
export function asked(place: URLSearchParams): Query {
  const given = (name: string): readonly (readonly [string, string])[] => {
    const value = place.get(name) ?? '';
    return value === '' ? [] : [[name, value]];
  };
  const days = DAYS.flatMap(given).map(([name, day]) => [name, `${day}T00:00:00Z`] as const);
  return Object.fromEntries([...['kinds', ...TEXTS].flatMap(given), ...days]);
}

export function TimelineFilters() {
  const { t } = useText();
  const { query } = usePlace();
  const value = (name: string): string => query.get(name) ?? '';
  const labels: Readonly<Record<(typeof TEXTS)[number] | (typeof DAYS)[number], string>> = {
    code: t('Code, carc:50 for example', 'Código, por ejemplo carc:50'),
    provider: t('Provider, npi:… for example', 'Proveedor, por ejemplo npi:…'),
    outcome: t('Outcome', 'Resultado'),
    from: t('From the day', 'Desde el día'),
    to: t('To the day', 'Hasta el día'),
  };
  return (
    <>
      <div className="row">
        <Field
          label={t('Lane', 'Carril')}
          value={value('kinds')}
          onChange={(kinds) => refine({ kinds })}
          options={[['', t('all', 'todos')], ...KINDS.map((kind) => [kind, kind] as const)]}
        />
        {TEXTS.map((name) => (
          <FilterField
            key={name}
            label={labels[name]}
            value={value(name)}
            onApply={(text) => refine({ [name]: text })}
          />
        ))}
        {DAYS.map((name) => (
          <Field
            key={name}
            label={labels[name]}
            type="date"
            value={value(name)}
            onChange={(day) => refine({ [name]: day })}
          />
        ))}
      </div>
      {TEXTS.some((name) => value(name) !== '') && (
        <p className="quiet">
          {t(
            'Code, provider and outcome leave out records that have none, such as documents and holds.',
            'El código, el proveedor y el resultado dejan fuera los registros que no los tienen, como documentos y retenciones.',
          )}
        </p>
      )}
    </>
  );
}
