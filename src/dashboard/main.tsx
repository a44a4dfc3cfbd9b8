/** Starts the page. */
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { sayWith } from './api/client.ts'
import { App } from './app/App.tsx'
import { applyAppearance } from './ui/appearance.ts'
import { say, startLanguage } from './i18n/index.tsx'

applyAppearance()
sayWith(say)
const root = document.getElementById('page')
if (!root) throw new Error('index.html has no element with the id page')
const language = await startLanguage()
createRoot(root).render(<StrictMode><App language={language} /></StrictMode>)
