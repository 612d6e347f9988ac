-- has_successor: whether a push token is known to be past.

-- The phone has reported that another token took its place, or a fresh card was started in place of
-- its card. A late request does not bring it back. Where only another token of the same phone
-- registered, nobody knows which of the two came last, and this is false.
ALTER TABLE registration ADD COLUMN has_successor boolean NOT NULL DEFAULT false;
