import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiError } from './api/client';
import { App, preloadScreen } from './app';
import { presentPath } from './router';
import './styles/console.css';
import { TextProvider } from './text';

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // A refusal stays a refusal; a lost connection or a busy service is worth two more tries.
      retry: (count, error) => count < 2 && (!(error instanceof ApiError) || error.status === 503),
    },
  },
});

preloadScreen(presentPath());

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no root');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <TextProvider>
        <App />
      </TextProvider>
    </QueryClientProvider>
  </StrictMode>,
);
