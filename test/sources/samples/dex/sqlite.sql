PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE password (
				email text not null primary key,
				hash blob not null,
				username text not null,
				user_id text not null
			, preferred_username text not null default '', groups blob not null default '[]', name text not null default '', email_verified integer);
INSERT INTO password VALUES('ada@example.org',X'24326124313024354d4f46514656716c6964696350776c55626c366a6566676f792e77763275636330554f4f507976552e67763474687970634e6657','ada','u-1001','',X'6e756c6c','',NULL);
INSERT INTO password VALUES('o''brien@example.org',X'243261243130244c657753454b48574743586a6f485563383369584a754d583248376569503571345765375131664f39322f547554422e4838366175','Miles "Chief" O''Brien\','u-1002','',X'6e756c6c','',NULL);
INSERT INTO password VALUES('zoe@example.org',X'243261243130246450416a67716b42684b48632e594f436333693348757936752f72624951373869557234437437733651456d646170735452647032','Zoë 绘','u-1003','',X'6e756c6c','',NULL);
INSERT INTO password VALUES('grace@example.org',X'24326124313024744d43516a597973414176476d52456c6268626a58754e6c72684c4454694166367132657649794c672e34355a3679386236392e71','grace','u-1004','',X'6e756c6c','',NULL);
CREATE TABLE user_identity (
				user_id text not null,
				connector_id text not null,
				claims_user_id text not null,
				claims_username text not null,
				claims_preferred_username text not null default '',
				claims_email text not null,
				claims_email_verified integer not null,
				claims_groups blob not null,
				consents blob not null,
				created_at timestamp not null,
				last_login timestamp not null,
				blocked_until timestamp not null, mfa_secrets blob, webauthn_credentials blob,
				PRIMARY KEY (user_id, connector_id)
			);
COMMIT;
