import { type ReactNode, useState } from 'react';
import { signOut, useEnter, useSigned } from '../api/session';
import { go, Link, usePlace } from '../router';
import { type Say, useText } from '../text';
import { Deed, Field, Form } from '../ui/parts';
import { SearchBox } from './search-box';
import { Preferences } from './theme';

interface Entry {
  readonly to: string;
  readonly name: (t: Say) => string;
  /** One of these scopes opens the screen. */
  readonly scopes: readonly string[];
}

const NAVIGATION: readonly Entry[] = [
  { to: '/', name: (t) => t('Home', 'Inicio'), scopes: ['dashboard:read'] },
  { to: '/events', name: (t) => t('Events', 'Eventos'), scopes: ['events:read'] },
  { to: '/members', name: (t) => t('Members', 'Afiliados'), scopes: ['members:read', 'events:read'] },
  { to: '/graph', name: (t) => t('Graph', 'Grafo'), scopes: ['graph:read'] },
  {
    to: '/matters',
    name: (t) => t('Matters and holds', 'Asuntos y retenciones'),
    scopes: ['matters:read', 'holds:read'],
  },
  { to: '/bundles', name: (t) => t('Bundles', 'Expedientes'), scopes: ['bundles:read'] },
  { to: '/documents', name: (t) => t('Documents', 'Documentos'), scopes: ['documents:read'] },
  { to: '/exceptions', name: (t) => t('Exceptions', 'Excepciones'), scopes: ['exceptions:read'] },
  { to: '/ingest', name: (t) => t('Ingest', 'Ingesta'), scopes: ['events:write', 'feeds:read'] },
  { to: '/ai', name: (t) => t('AI oversight', 'Supervisión de IA'), scopes: ['ai-provenance:read'] },
  { to: '/rules', name: (t) => t('Rules', 'Reglas'), scopes: ['rules:read'] },
  { to: '/webhooks', name: (t) => t('Webhooks', 'Webhooks'), scopes: ['webhooks:own'] },
  { to: '/custody', name: (t) => t('Custody', 'Custodia'), scopes: ['custody:read'] },
  { to: '/admin', name: (t) => t('Admin', 'Administración'), scopes: ['admin'] },
  { to: '/query', name: (t) => t('Query', 'Consulta'), scopes: ['graph:query'] },
];

const isWithin = (to: string, path: string): boolean => (to === '/' ? path === '/' : `${path}/`.startsWith(`${to}/`));

export function Shell({ children }: { readonly children: ReactNode }) {
  const { t } = useText();
  const { path } = usePlace();
  const { may, tenant } = useSigned();
  return (
    <div className="shell">
      <a className="skip" href="#content">
        {t('Skip to content', 'Ir al contenido')}
      </a>
      <nav aria-label={t('Screens', 'Pantallas')}>
        <p className="brand">{t('Evidence', 'Evidencia')}</p>
        <ul>
          {NAVIGATION.filter(({ scopes }) => scopes.some(may)).map(({ to, name }) => (
            <li key={to}>
              <Link to={to} aria-current={isWithin(to, path) ? 'page' : undefined}>
                {name(t)}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <div className="main">
        <header>
          <SearchBox />
          <Preferences />
          <Account />
        </header>
        <main id="content" tabIndex={-1}>
          {tenant === null ? <ChooseTenant /> : children}
        </main>
      </div>
    </div>
  );
}

function Account() {
  const { t } = useText();
  const { caller, tenant, isOperator, choose } = useSigned();
  const enter = useEnter();
  const leave = async (): Promise<void> => {
    await signOut();
    enter(null);
  };
  const change = async (): Promise<void> => {
    choose(null);
    go('/');
  };
  return (
    <>
      <span className="quiet">
        {caller.key_name} · {tenant ?? t('operator', 'operador')}
      </span>
      {isOperator && tenant !== null && <Deed label={t('Other tenant', 'Otra organización')} run={change} />}
      <Deed label={t('Sign out', 'Cerrar sesión')} run={leave} />
    </>
  );
}

/** An operator's key serves all tenants, so each visit names one. */
function ChooseTenant() {
  const { t } = useText();
  const { choose } = useSigned();
  const [tenant, setTenant] = useState('');
  const submit = async (): Promise<void> => choose(tenant.trim());
  return (
    <>
      <h1>{t('Choose a tenant', 'Elija una organización')}</h1>
      <Form submit={t('Continue', 'Continuar')} onSubmit={submit}>
        <Field label={t('Tenant', 'Organización')} value={tenant} onChange={setTenant} required />
      </Form>
    </>
  );
}
