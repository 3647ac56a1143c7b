/** The entry of the page. */

import "./no-eval.ts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { takeTokenFromAddress } from "./token-in-address.ts";
import "./style.css";

const queries = new QueryClient({
  defaultOptions: {
    // Events say when something changed, and the connection reconnects by itself.
    queries: { staleTime: Number.POSITIVE_INFINITY, retry: false, refetchOnWindowFocus: false },
    mutations: { retry: false },
  },
});

const tokenRefused = takeTokenFromAddress();

createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <App tokenRefused={tokenRefused} />
    </QueryClientProvider>
  </StrictMode>,
);
