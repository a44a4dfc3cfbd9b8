/** The parts of a search, loaded together when somebody searches. */
export { FiltersButton } from './FiltersButton.tsx'
export { SearchResults } from './SearchResults.tsx'
